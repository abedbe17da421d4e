import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Serial lines beside lists with the expected order.
    static let lineModel = (0..<40 as Range<UInt64>).map { seed in
        Rule("whatever happens, a serial line is what a list would be (seed \(seed))") { suite in
            try await LineModel(suite, seed: seed).run()
        }
    }
}

/// A ledger with two serial lines, and for each line a list.
private final class LineModel {
    static let lines = ["a", "b"].map { QueueName(unchecked: $0) }

    let world: SerialLineWorld
    var random: SeededGenerator
    /// For each line, the waiting jobs in order, and the released job.
    var waiting: [QueueName: [JobID]] = [:]
    var head: [QueueName: JobID] = [:]
    var known: [UploadJob] = []

    init(_ suite: LedgerConformance, seed: UInt64) async throws {
        world = try await SerialLineWorld(suite)
        random = SeededGenerator(seed: seed)
    }

    func run() async throws {
        for _ in 0..<60 {
            let queue = Self.lines[Int.random(in: 0..<Self.lines.count, using: &random)]
            guard try await step(in: queue) else { continue }
            try await world.settle()
            for queue in Self.lines {
                let running = world.running.filter { $0.job.queue == queue && !$0.isCancel }.map(\.job.id)
                try #require(running == (head[queue].map { [$0] } ?? []))
                #expect(try await world.waiting(in: queue, limit: 3).map(\.job.id) == waiting[queue] ?? [])
            }
        }
        let left = Dictionary(
            uniqueKeysWithValues: Self.lines.map { queue in
                (queue, (head[queue].map { [$0] } ?? []) + (waiting[queue] ?? []))
            })
        world.issued = []
        let running = world.running.filter { !$0.isCancel }
        try await world.finishAll()
        for queue in Self.lines {
            let issued = world.issued.filter { id in known.contains { $0.id == id && $0.queue == queue } }
            let first = running.filter { $0.job.queue == queue }.map(\.job.id)
            #expect(first + issued == left[queue])
        }
    }

    /// Does something at random.
    /// - Returns: false where there is nothing to do it with.
    private func step(in queue: QueueName) async throws -> Bool {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            let index = Bool.random(using: &random) ? Int.random(in: 0..<5, using: &random) : nil
            let job = SerialLineWorld.job(queue, at: SerialPosition(index: index))
            known.append(job)
            try await world.record([.job(job, maybeRepeated: Bool.random(using: &random))])
            insert(job.id, queue, index)
        case 4:
            guard let job = known.randomElement(using: &random) else { return false }
            try await world.record([.job(job, maybeRepeated: true)])
        case 5:
            guard let job = waiting[queue]?.randomElement(using: &random) else { return false }
            let index = Int.random(in: 0..<5, using: &random)
            let answer = try await world.carryOut(.move([job], .index(index)))
            #expect(answer.done == 1)
            waiting[queue]?.removeAll { $0 == job }
            insert(job, queue, index)
        case 6:
            guard let job = waiting[queue]?.randomElement(using: &random) else { return false }
            _ = try await world.carryOut(.jobs(Bool.random(using: &random) ? .cancel : .runNow, [job]))
            let isCancelled = try await world.ledger.job(job)?.isCancelling == true
            waiting[queue]?.removeAll { $0 == job }
            if !isCancelled { insert(job, queue, 0) }
        case 7: try await world.crash()
        default:
            try await world.settle()
            guard let baton = world.running.filter({ $0.job.queue == queue }).randomElement(using: &random) else {
                return false
            }
            let kind: EventKind = baton.isCancel ? .cancelled : Bool.random(using: &random) ? .completed : .failed
            try await world.end(baton, kind)
            if head[queue] == baton.job.id { head[queue] = nil }
            release(queue)
        }
        return true
    }

    private func release(_ queue: QueueName) {
        guard head[queue] == nil, let first = waiting[queue]?.first else { return }
        head[queue] = first
        waiting[queue]?.removeFirst()
    }

    private func insert(_ job: JobID, _ queue: QueueName, _ index: Int?) {
        let count = waiting[queue]?.count ?? 0
        waiting[queue, default: []].insert(job, at: min(count, index ?? count))
        release(queue)
    }
}

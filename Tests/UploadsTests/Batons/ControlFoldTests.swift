import Foundation
import Testing

@testable import Uploads

@Suite struct ControlFoldTests {
    private let jobs = (0..<30).map { _ in JobID() }

    private func view(_ entries: ControlEntry...) -> ControlView {
        entries.reduce(into: ControlView()) { $0.apply($1) }
    }

    private func pieces(of view: ControlView, _ id: UUID) -> [ControlEntry] {
        view.snapshot(id).map { .snapshot($0) }
    }

    /// A snapshot of some pieces, of which each names one job.
    private func pieces(_ id: UUID, pausing jobs: [JobID]) -> [ControlEntry] {
        jobs.enumerated().map { index, job in
            var piece = SnapshotPiece(of: id, number: index + 1, count: jobs.count)
            piece.fences = [job: 2]
            piece.pauses = [job: 2]
            return .snapshot(piece)
        }
    }

    private func fold(_ entries: [ControlEntry]) -> (fold: ControlFold, wholes: [Int]) {
        var fold = ControlFold()
        let wholes = entries.indices.filter { fold.apply(entries[$0]) }
        return (fold, wholes)
    }

    @Test func `a reader that begins at a snapshot knows what a reader from the first entry knows`() {
        let many = Dictionary(uniqueKeysWithValues: (0..<2300).map { (JobID(), $0 + 2) })
        let first: [ControlEntry] =
            ControlEntry.fence(many).parts + [
                .pause([jobs[0]: 4, jobs[1]: 5]), .queueStopped(.standard), .lift([jobs[1]]), .marker(UUID()),
            ]
        let whole = first.reduce(into: ControlView()) { $0.apply($1) }
        let id = UUID()
        let snapshot = pieces(of: whole, id)
        #expect(snapshot.count == 3)
        let (fold, wholes) = fold([.snapshotBegins(id)] + snapshot)
        #expect(fold.view == whole)
        #expect(wholes == [3])
    }

    @Test(arguments: [0, 1, 985, 991, 1000]) func `drained workers go through a snapshot in their order`(_ fences: Int)
        throws
    {
        var whole = ControlView()
        whole.apply(.fence(Dictionary(uniqueKeysWithValues: (0..<fences).map { _ in (JobID(), 2) })))
        for number in 0..<DrainedWorkers.countMaximum { whole.apply(.workerDrained("w\(number)")) }
        let id = UUID()
        let snapshot = pieces(of: whole, id)
        for piece in snapshot {
            let written = try WireJSON.encode(piece)
            #expect(try WireJSON.decode(ControlEntry.self, from: written) == piece)
        }
        #expect(fold([.snapshotBegins(id)] + snapshot.reversed()).fold.view == whole)
        // The reader forgets the same worker as one that has read everything.
        whole.apply(.workerDrained("new"))
        let (fold, wholes) = fold([.snapshotBegins(id), .workerDrained("new")] + snapshot.reversed())
        #expect(wholes.count == 1)
        #expect(fold.view == whole && !whole.drainedWorkers.contains("w0"))
    }

    @Test func `a drain holds until it is read that the worker is resumed, or until a snapshot that does not have it`()
    {
        let (with, without) = (UUID(), UUID())
        let drained = view(.workerDrained("a"))
        var entries = [.workerDrained("a"), .snapshotBegins(with)] + pieces(of: drained, with)
        #expect(fold(entries).fold.view.drainedWorkers.contains("a"))
        entries += [.snapshotBegins(without)] + pieces(of: ControlView(), without)
        #expect(!fold(entries).fold.view.drainedWorkers.contains("a"))
        // A drain that was read after the snapshot was begun outweighs it.
        let later = [.snapshotBegins(without), .workerDrained("a")] + pieces(of: ControlView(), without)
        #expect(fold(later).fold.view.drainedWorkers.contains("a"))
    }

    @Test func `the order of the pieces does not matter, and one that comes twice counts once`() {
        let id = UUID()
        let all = pieces(id, pausing: Array(jobs.prefix(3)))
        let (fold, wholes) = fold([.snapshotBegins(id), all[2], all[2], all[0], .snapshotBegins(id), all[0], all[1]])
        #expect(wholes == [6])
        #expect(fold.view.pauses.count == 3)
    }

    @Test func `an empty view is a snapshot of one piece`() {
        let id = UUID()
        #expect(fold([.pause([jobs[0]: 1]), .snapshotBegins(id)] + pieces(of: ControlView(), id)).wholes == [2])
    }

    @Test func `a snapshot never lowers a fence and replaces pauses and stopped queues`() {
        let id = UUID()
        let old = view(.fence([jobs[0]: 2]))
        let (fold, _) = fold(
            [.fence([jobs[0]: 7]), .pause([jobs[1]: 1]), .queueStopped(.standard), .snapshotBegins(id)]
                + pieces(of: old, id))
        #expect(fold.view.fence(of: jobs[0]) == 7)
        #expect(fold.view.pauses.isEmpty && fold.view.stoppedQueues.isEmpty)
    }

    @Test func `a snapshot says which ledger the namespace has, also to a reader that has read a rival's claim alone`()
    {
        let (id, first, rival, opening) = (UUID(), UUID(), UUID(), UUID())
        let claim = LedgerClaim(ledger: first, term: 1, opening: UUID())
        let lost = ControlEntry.ledger(LedgerClaim(ledger: rival, term: 1, opening: UUID()))
        let (fold, _) = fold([lost, .snapshotBegins(id)] + pieces(of: view(.ledger(claim)), id))
        #expect(fold.view.ledger == claim)
        // An entry that came after the snapshot was begun outweighs its piece.
        let again = ControlEntry.ledger(LedgerClaim(ledger: first, term: 1, opening: opening))
        let later = self.fold([lost, .snapshotBegins(id), again] + pieces(of: view(.ledger(claim)), id))
        #expect(later.wholes == [3])
        #expect(later.fold.view.ledger?.opening == opening)
    }

    @Test func `what is appended between the pieces counts, whichever piece it comes before`() {
        let id = UUID()
        let paused = Array(jobs.prefix(3))
        let all = pieces(id, pausing: paused)
        let news: [ControlEntry] = [
            .lift([paused[2]]), .forget([paused[0]: 2]), .pause([jobs[9]: 1]), .queueStopped(.standard),
            .fence([paused[1]: 5]),
        ]
        for place in 0..<3 {
            var entries = all
            entries.insert(contentsOf: news, at: place)
            let (fold, wholes) = fold([.snapshotBegins(id)] + entries)
            #expect(wholes == [8])
            #expect(fold.view.pauses == [paused[1]: 2, jobs[9]: 1])
            #expect(fold.view.fences == [paused[1]: 5, paused[2]: 2])
            #expect(fold.view.stoppedQueues == [.standard])
        }
    }

    @Test func `to a reader that has not read the beginning, pieces are no snapshot, though their fences hold`() {
        let id = UUID()
        let (fold, wholes) = fold(pieces(id, pausing: Array(jobs.prefix(3))))
        #expect(wholes.isEmpty)
        #expect(fold.view.pauses.isEmpty)
        #expect(fold.view.fence(of: jobs[0]) == 2)
    }

    @Test func `a snapshot that its notifier did not finish is none, and the next one counts`() {
        let (dead, next) = (UUID(), UUID())
        let left = pieces(dead, pausing: Array(jobs.prefix(3)))
        let own = pieces(next, pausing: [jobs[5]])
        let entries = [.queueStopped(.standard), .snapshotBegins(dead), left[0], left[2], .snapshotBegins(next)] + own
        #expect(fold(Array(entries.prefix(4))).wholes.isEmpty)
        #expect(fold(Array(entries.prefix(4))).fold.view.stoppedQueues == [.standard])
        let (fold, wholes) = fold(entries + [left[1]])
        #expect(wholes == [5])
        #expect(fold.view.pauses == [jobs[5]: 2])
    }

    @Test func `pieces of one snapshot that disagree are no snapshot`() {
        let id = UUID()
        var (one, two) = (SnapshotPiece(of: id, number: 1, count: 2), SnapshotPiece(of: id, number: 2, count: 3))
        one.pauses = [jobs[0]: 1]
        two.pauses = [jobs[1]: 1]
        #expect(fold([.snapshotBegins(id), .snapshot(one), .snapshot(two), .snapshot(one)]).wholes.isEmpty)
    }

    @Test func `snapshots that never become whole do not pile up, nor what is kept for them`() {
        var entries: [ControlEntry] = []
        let ids = (0...ControlFold.openCountMaximum).map { _ in UUID() }
        for id in ids { entries.append(.snapshotBegins(id)) }
        // The oldest was given up, the others are open.
        #expect(fold(entries + pieces(of: ControlView(), ids[0])).wholes.isEmpty)
        #expect(fold(entries + pieces(of: ControlView(), ids[1])).wholes.count == 1)
        let page = ControlEntry.lift((0..<1000).map { _ in JobID() })
        let kept = Array(repeating: page, count: ControlFold.namesSinceMaximum / 1000)
        #expect(fold(entries + kept + pieces(of: ControlView(), ids[1])).wholes.count == 1)
        #expect(fold(entries + kept + [.lift([jobs[0]])] + pieces(of: ControlView(), ids[1])).wholes.isEmpty)
    }

    /// Two notifiers' snapshots and ordinary entries, interleaved at random; some snapshots are left unfinished. A reader may
    /// begin anywhere.
    @Test(arguments: 0..<20) func `whatever comes in between, wherever a reader begins`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let queues = ["a", "b"].map { try! QueueName($0) }
        let ledgers = [UUID(), UUID()]
        var log: [ControlEntry] = []
        /// The view by the ordinary entries alone, after each entry of the log.
        var truths: [ControlView] = []
        var truth = ControlView()
        var generations: [JobID: Int] = [:]
        var writers: [[ControlEntry]] = [[], []]
        func append(_ entry: ControlEntry) {
            log.append(entry)
            truth.apply(entry)
            truths.append(truth)
        }
        for _ in 0..<150 {
            let job = jobs[Int.random(in: 0..<6, using: &random)]
            let generation = generations[job, default: 1]
            let writer = Int.random(in: 0..<2, using: &random)
            switch Int.random(in: 0..<15, using: &random) {
            case 6:
                append(
                    .ledger(
                        LedgerClaim(
                            ledger: ledgers[Int.random(in: 0..<2, using: &random)],
                            term: Int.random(in: 1...4, using: &random), opening: UUID())))
            case 0:
                generations[job] = generation + 1
                append(.fence([job: generation + 1]))
            case 1: append(.pause([job: generation]))
            case 2: append(.lift([job]))
            case 3: append(.forget([job: Int.random(in: 0...generation, using: &random)]))
            case 4: append(.queueStopped(queues.randomElement(using: &random)!))
            case 5: append(.queueStarted(queues.randomElement(using: &random)!))
            case 7: append(.workerDrained("w\(Int.random(in: 0..<4, using: &random))"))
            case 8: append(.workerResumed("w\(Int.random(in: 0..<4, using: &random))"))
            default:
                guard writers[writer].isEmpty else {
                    log.append(writers[writer].removeFirst())
                    truths.append(truth)
                    // The notifier may die here; its successor begins another snapshot.
                    if Int.random(in: 0..<12, using: &random) == 0 { writers[writer] = [] }
                    continue
                }
                let id = UUID()
                append(.snapshotBegins(id))
                writers[writer] = small(truth, id).shuffled(using: &random)
            }
        }
        for start in stride(from: 0, to: log.count, by: 7) {
            var fold = ControlFold()
            var isWhole = start == 0
            for place in start..<log.count {
                if fold.apply(log[place]) { isWhole = true }
                guard isWhole else { continue }
                #expect(fold.view.pauses == truths[place].pauses, "seed \(seed), from \(start), at \(place)")
                #expect(fold.view.stoppedQueues == truths[place].stoppedQueues)
                #expect(fold.view.drainedWorkers == truths[place].drainedWorkers)
                #expect(fold.view.ledger == truths[place].ledger)
                #expect(jobs.prefix(6).allSatisfy { fold.view.fence(of: $0) >= truths[place].fence(of: $0) })
            }
        }
    }

    /// The view in pieces that name one job, queue or worker each.
    private func small(_ view: ControlView, _ id: UUID) -> [ControlEntry] {
        let count = max(
            1,
            view.fences.count + view.pauses.count + view.stoppedQueues.count + view.drainedWorkers.names.count)
        var pieces = (1...count).map { SnapshotPiece(of: id, number: $0, count: count) }
        pieces[count - 1].ledger = view.ledger
        var index = 0
        for (job, generation) in view.fences {
            pieces[index].fences = [job: generation]
            index += 1
        }
        for (job, generation) in view.pauses {
            pieces[index].pauses = [job: generation]
            index += 1
        }
        for queue in view.stoppedQueues {
            pieces[index].stoppedQueues = [queue]
            index += 1
        }
        for worker in view.drainedWorkers.names {
            pieces[index].drainedWorkers = [worker]
            index += 1
        }
        return pieces.map { .snapshot($0) }
    }
}

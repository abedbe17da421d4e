import Foundation
import Testing
import Uploads

/// Rules of the tables for serial lines.
extension LedgerConformance {
    static let lineRows = [
        StoreRule("the rows of a line are counted and found in their own line alone") { tables in
            let places = [
                place("a", .released), place("b", .waiting(number: 5)), place("c", .waiting(number: -3)),
                place("d", .waiting(number: 9)), place("e", .waiting(number: 1), in: video),
                place("f", .released, in: video), place("g", .released, in: video),
            ]
            try await write(in: tables) { $0.places = places }
            try await tables.transaction { store throws in
                let other = QueueName(unchecked: "other")
                for (queue, count) in [(QueueName.standard, 1), (video, 2), (other, 0)] {
                    #expect(try store.releasedCount(inLineOf: queue) == count)
                }
                for (number, count) in [(Int64.min, 0), (-3, 0), (5, 1), (6, 2), (.max, 3)] as [(Int64, Int)] {
                    #expect(try store.waitingCount(inLineOf: .standard, before: number) == count, "\(number)")
                }
                #expect(try store.waitingCount(inLineOf: video, before: .max) == 1)
                #expect(try store.waitingCount(inLineOf: other, before: .max) == 0)
                #expect(try store.row(of: "a", inLineOf: .standard) == .released)
                #expect(try store.row(of: "c", inLineOf: .standard) == .waiting(number: -3))
                #expect(try store.row(of: "a", inLineOf: video) == nil)
                #expect(try store.row(of: "e", inLineOf: video) == .waiting(number: 1))
                #expect(try store.row(of: "none", inLineOf: .standard) == nil)
            }
        },
        StoreRule("a row changes its number, is released, moves to another line, and goes") { tables in
            try await write(in: tables) { $0.places = [place("a", .waiting(number: 1)), place("b", .released)] }
            try await write(in: tables) { $0.places = [place("a", .waiting(number: 7))] }
            try await tables.transaction { store throws in
                #expect(try store.row(of: "a", inLineOf: .standard) == .waiting(number: 7))
                #expect(try store.waitingCount(inLineOf: .standard, before: 8) == 1)
            }
            try await write(in: tables) { $0.places = [place("a", .released), place("b", nil)] }
            try await tables.transaction { store throws in
                #expect(try store.row(of: "a", inLineOf: .standard) == .released)
                #expect(try store.row(of: "b", inLineOf: .standard) == nil)
                #expect(try store.releasedCount(inLineOf: .standard) == 1)
                #expect(try store.waitingCount(inLineOf: .standard, before: .max) == 0)
            }
            try await write(in: tables) {
                $0.places = [place("a", .waiting(number: 2), in: video), place("none", nil)]
            }
            try await tables.transaction { store throws in
                #expect(try store.row(of: "a", inLineOf: .standard) == nil)
                #expect(try store.releasedCount(inLineOf: .standard) == 0)
                #expect(try store.row(of: "a", inLineOf: video) == .waiting(number: 2))
            }
        },
        StoreRule("waiting jobs go by number and then by text, either way, in pages") { tables in
            let numbers: [(String, Int64)] = [("d", 2), ("b", 2), ("a", 3), ("c", 2), ("z", -1), ("e", 2)]
            let places = numbers.map { place($0, .waiting(number: $1)) }
            let others = [place("released", .released), place("y", .waiting(number: 2), in: video)]
            try await write(in: tables) { $0.places = places + others }
            let line = ["z", "b", "c", "d", "e", "a"]
            try await tables.transaction { store throws in
                for isBackward in [false, true] {
                    func page(beyond place: WaitingJob?, limit: Int = 2) throws -> [WaitingJob] {
                        try store.waiting(
                            inLineOf: .standard, beyond: place, isBackward: isBackward, limit: limit)
                    }
                    let wanted = isBackward ? line.reversed() : line
                    var (found, last): ([WaitingJob], WaitingJob?) = ([], nil)
                    for _ in 0..<4 {
                        let jobs = try page(beyond: last)
                        #expect(jobs.count == (found.count < line.count ? 2 : 0))
                        found += jobs
                        last = jobs.last ?? last
                    }
                    #expect(found.map(\.job) == wanted)
                    for job in found { #expect(numbers.contains { $0 == (job.job, job.number) }) }
                    #expect(try page(beyond: nil, limit: 9).map(\.job) == wanted)
                    // The page may begin beyond a place where no job is any more.
                    let gap = try page(beyond: WaitingJob(job: "cc", number: 2), limit: 9).map(\.job)
                    #expect(gap == (isBackward ? ["c", "b", "z"] : ["d", "e", "a"]))
                    let end = try page(beyond: WaitingJob(job: "", number: isBackward ? -1 : 4))
                    #expect(end.isEmpty)
                }
                let other = try store.waiting(inLineOf: video, beyond: nil, isBackward: true, limit: 9)
                #expect(other == [WaitingJob(job: "y", number: 2)])
            }
        },
    ]

    private static let video = QueueName(unchecked: "video")

    private static func place(_ job: String, _ row: LineRow?, in queue: QueueName = .standard) -> LedgerChanges.Place {
        LedgerChanges.Place(queue: queue, job: job, row: row)
    }
}

import ArgumentParser
import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct JobSelectionTests {
    private let time = Date(timeIntervalSince1970: 1_800_000_000)

    private func commands(_ arguments: [String], before: Date? = nil) throws -> [UploadOrder.Command] {
        try JobSelection.parse(arguments).commands(.forget, atMost: 1, endedBefore: before)
    }

    @Test func `a time is a filter by itself, and goes with others`() throws {
        #expect(
            try commands([], before: time) == [.matching(.forget, OrderFilter(endedBefore: time), atMost: 1)])
        #expect(
            try commands(["--batch", "trip", "--status", "failed"], before: time)
                == [
                    .matching(
                        .forget, OrderFilter(batch: "trip", endedBefore: time, statuses: [.failed]), atMost: 1)
                ])
        #expect(
            try commands(["--status", "failed,cancelled"])
                == [.matching(.forget, OrderFilter(statuses: [.failed, .cancelled]), atMost: 1)])
        #expect(throws: ProgramError.self) { try commands(["--status", "failed,"]) }
        #expect(try commands(["--all"]) == [.matching(.forget, OrderFilter(), atMost: 1)])
    }

    @Test func `ids go in portions, with no filter beside them`() throws {
        let ids = (0..<UploadOrder.jobsMaximum + 1).map { _ in JobID() }
        #expect(
            try commands(ids.map(\.rawValue)) == [
                .jobs(.forget, Array(ids.dropLast())), .jobs(.forget, [ids[ids.count - 1]]),
            ])
        let both = #expect(throws: ProgramError.self) { try commands([ids[0].rawValue], before: time) }
        #expect(both?.description.contains("ids and a filter") == true)
        let none = #expect(throws: ProgramError.self) { try commands([]) }
        #expect(none?.description.contains("no jobs") == true)
    }

    @Test func `a dry run says which jobs would be forgotten`() throws {
        let command = try #require(try commands(["--batch", "trip"], before: time).first)
        #expect(
            OrderReport(dryRunOf: command, printsJSON: false).output == [
                "forget all jobs of batch trip that ended before \(WireJSON.timestamp(time)) that are cancelled, completed, failed"
            ])
    }
}

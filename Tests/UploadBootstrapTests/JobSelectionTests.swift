import ArgumentParser
import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadBootstrap

struct JobSelectionTests {
    private let time = Date(timeIntervalSince1970: 1_800_000_000)

    private func commands(_ arguments: [String]) throws -> [UploadOrder.Command] {
        try JobSelection.parse(arguments).commands(.forget, atMost: 1, now: time)
    }

    @Test func `a time is a filter by itself, and goes with others`() throws {
        #expect(
            try commands(["--ended-until", "0s"])
                == [.matching(.forget, OrderFilter(endedUntil: time), atMost: 1)])
        #expect(
            try commands(["--batch", "trip", "--status", "failed", "--ended-until", "0s"])
                == [
                    .matching(
                        .forget, OrderFilter(batch: "trip", endedUntil: time, statuses: [.failed]), atMost: 1)
                ])
        #expect(
            try commands(["--status", "failed,cancelled"])
                == [.matching(.forget, OrderFilter(statuses: [.failed, .cancelled]), atMost: 1)])
        #expect(throws: ProgramError.self) { try commands(["--status", "failed,"]) }
        #expect(try commands(["--all"]) == [.matching(.forget, OrderFilter(), atMost: 1)])
    }

    @Test func `an order can say all that a listing can`() throws {
        var filter = OrderFilter()
        (filter.code, filter.client, filter.text, filter.idempotencyKey) = (.accessDenied, "gallery", "img", "key-1")
        (filter.enqueuedSince, filter.enqueuedUntil) = (time - 7200, time - 3600)
        (filter.endedSince, filter.endedUntil) = (time - 60, time)
        let selected = [
            "--error", "accessDenied", "--client", "gallery", "--text", "img", "--key", "key-1", "--since", "2h",
            "--until", "1h", "--ended-since", "1m", "--ended-until", "0s",
        ]
        #expect(try commands(selected) == [.matching(.forget, filter, atMost: 1)])
        let listed = try JobFilter.parse(selected).query(now: time)
        let asked = try JSONSerialization.jsonObject(with: try WireJSON.encode(filter)) as? [String: String]
        #expect(Dictionary(listed.map { ($0.name, $0.value) }) { $1 } == asked, "one word has one name")
        for wrong in [["--error", "denied"], ["--text", "ab"], ["--text", String(repeating: "a", count: 201)]] {
            #expect(throws: ProgramError.self) { try commands(wrong) }
        }
        #expect(throws: ProgramError.self) { _ = try JobFilter.parse(["--error", "denied"]).query() }
    }

    @Test func `ids go in portions, with no filter beside them`() throws {
        let ids = (0..<UploadOrder.jobsMaximum + 1).map { _ in JobID() }
        #expect(
            try commands(ids.map(\.rawValue)) == [
                .jobs(.forget, Array(ids.dropLast())), .jobs(.forget, [ids[ids.count - 1]]),
            ])
        let both = #expect(throws: ProgramError.self) {
            try commands([ids[0].rawValue, "--ended-until", "0s"])
        }
        #expect(both?.description.contains("ids and a filter") == true)
        let none = #expect(throws: ProgramError.self) { try commands([]) }
        #expect(none?.description.contains("no jobs") == true)
    }

    @Test func `a dry run says which jobs would be forgotten`() throws {
        let command = try #require(try commands(["--batch", "trip", "--ended-until", "0s"]).first)
        #expect(
            OrderReport(dryRunOf: command, printsJSON: false).output == [
                "forget all jobs of batch trip that ended before \(WireJSON.timestamp(time)) that are cancelled, completed, failed"
            ])
        let counted = API.OrderAnswer(order: "1", isDecided: true, dryRun: true, matched: 20_000, mayBeMore: true)
        let text = OrderReport(dryRunOf: command, counted: counted, printsJSON: false).output.first
        #expect(text?.hasSuffix("that are cancelled, completed, failed: at least 20000 jobs") == true)
        let json = OrderReport(dryRunOf: command, counted: counted, printsJSON: true).output.first
        #expect(json?.contains("\"matched\":20000,\"mayBeMore\":true,") == true, "\(json ?? "")")
    }
}

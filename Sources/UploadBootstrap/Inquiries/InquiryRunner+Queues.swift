import Foundation
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

extension InquiryRunner {
    func queue(_ name: String) async throws {
        let path = "/v1/queues/\(NotifierClient.encoded(name))"
        try await suggesting(name, from: "/v1/queues") {
            if printsJSON { return try show(try await client.ask(.GET, path, as: JSONValue.self)) }
            let queue = try await client.ask(.GET, path, as: API.Queue.self)
            for line in queue.lines(time, width: Console.outputColumns) { Console.output(line: line) }
        }
    }
}

extension API.Queue {
    /// `open`, `stopped`, `no worker`, or `?` while the notifier cannot ask the broker.
    var state: String { isStopped.map { $0 ? "stopped" : consumers == 0 ? "no worker" : "open" } ?? "?" }

    func lines(_ time: LocalTime, width: Int?) -> [String] {
        let order = LedgerStatus.allCases.map(\.rawValue)
        let jobs = order.compactMap { status in
            self.jobs[status].flatMap { $0 > 0 ? "\($0) \(status)" : nil }
        }
        let rate = "\(Quantity.text(bytes: Int64(saturating: bytesPerSecond)))/s"
        let counts = String(format: "%.1f completed and %.1f failed a minute", completedPerMinute, failedPerMinute)
        let left = secondsLeft.map { ", about \(LocalTime.short(seconds: $0)) if it goes on like this" } ?? ""
        let facts: [(String, String)] = [
            ("jobs", jobs.isEmpty ? "none" : jobs.joined(separator: ", ")),
            ("depth", depth.map { Table.depth($0) } ?? "?"),
            ("workers", consumers.map(String.init) ?? "?"),
            ("oldest", oldestWaiting.map { "waits for \(time.age($0))" } ?? "nothing waits"),
            ("rate", "\(rate), \(counts)"),
            ("left", Quantity.text(bytes: bytesLeft) + left),
        ]
        return ["queue \(name)  \(state)", ""]
            + facts.flatMap { PlainText.hanging($0, PlainText.safe($1), column: 12, width: width) }
    }
}

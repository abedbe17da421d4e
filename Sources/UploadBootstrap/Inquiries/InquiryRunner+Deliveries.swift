import Foundation
import NIOHTTP1
import Uploads
import UploadsAPI

extension InquiryRunner {
    func deliveries(_ choice: DeliveryChoice) async throws {
        let isEmpty = try await list(
            "/v1/deliveries", choice.query, limit: choice.limit, page: 200, cursor: "before"
        ) { (deliveries: [API.Delivery]) in Table(deliveries, time) }
        if isEmpty { await doubt(choice.delegate, "delegate", in: "/v1/delegates") }
    }

    func delivery(_ id: Int64) async throws {
        let path = "/v1/deliveries/\(id)"
        if printsJSON { return try show(try await client.ask(.GET, path, as: JSONValue.self)) }
        let story = try await client.ask(.GET, path, as: API.DeliveryStory.self)
        for line in Self.lines(story.delivery, story.attempts, time, width: Console.outputColumns) {
            Console.output(line: line)
        }
    }

    /// - Returns: `noInput` if one of the deliveries does not exist.
    func replay(deliveries ids: [Int64]) async throws -> ExitCode {
        var code = ExitCode.done
        for id in ids {
            do {
                let answer = try await client.ask(.POST, "/v1/deliveries/\(id)/replay", as: JSONValue.self)
                if printsJSON { try show(answer) } else { Console.output(line: "delivery \(id) is delivered again") }
            } catch let error as ProgramError where error.exitCode == .noInput && ids.count > 1 {
                say("\(error)")
                code = .noInput
            }
        }
        return code
    }

    static func lines(
        _ delivery: API.Delivery, _ attempts: [API.Attempt], _ time: LocalTime, width: Int?
    ) -> [String] {
        let facts: [(String, String?)] = [
            ("delegate", delivery.delegate), ("job", delivery.job), ("event", delivery.event),
            ("created", time.text(delivery.createdAt)), ("delivered", delivery.deliveredAt.map { time.text($0) }),
            ("due", delivery.status == "waiting" ? delivery.dueAt.map { time.text($0) } : nil),
            ("error", delivery.error),
        ]
        var lines = ["delivery \(delivery.id)  \(delivery.status)", ""]
        for case (let name, let value?) in facts {
            lines += PlainText.hanging(name, PlainText.safe(value), column: 12, width: width)
        }
        guard !attempts.isEmpty else { return lines }
        lines.append("")
        for attempt in attempts {
            let status = attempt.status.map { "status \($0)" }
            let answer = attempt.answer.flatMap { $0.isEmpty ? nil : "it answered: \($0)" }
            let what = [String(format: "%.2f s", attempt.seconds), status, attempt.error ?? "taken", answer]
            let text = what.compactMap(\.self).joined(separator: ", ")
            lines += PlainText.hanging(time.text(attempt.at), PlainText.safe(text), column: 22, width: width)
        }
        return lines
    }
}

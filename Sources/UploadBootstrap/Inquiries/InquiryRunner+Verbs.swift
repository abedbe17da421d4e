import Foundation
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

/// Requests that change something, delegates and orders apart.
extension InquiryRunner {
    /// The notifier gives a delivery 5 min at most.
    private static let testPatience = TimeAmount.seconds(310)
    /// The notifier gives a backup an hour at most.
    private static let backupPatience = TimeAmount.seconds(3610)

    func set(_ name: String, _ verb: Inquiry.DelegateVerb) async throws {
        let answer = try await client.ask(.POST, path(name, verb.rawValue), as: JSONValue.self)
        if printsJSON { return try show(answer) }
        let backlog = answer["backlog"]?.integer ?? 0
        Console.output(
            line: verb == .pause
                ? "delegate \(name) is paused; its outcomes are kept"
                : "delegate \(name) goes on; \(backlog) outcomes wait for it")
    }

    func backUp(to path: String) async throws {
        let answer = try await client.ask(
            .POST, "/v1/ledger/backup", body: ["path": .string(path)], as: JSONValue.self, patience: Self.backupPatience
        )
        if printsJSON { return try show(answer) }
        let size = Quantity.text(bytes: try read(answer, as: API.Backup.self).size)
        Console.output(line: "the ledger is backed up and the copy checked: \(PlainText.safe(path)) (\(size))")
    }

    /// - Returns: `uploadFailed` if the delegate did not take the invented outcome.
    func test(_ name: String) async throws -> ExitCode {
        let json = try await client.ask(
            .POST, path(name, "test"), as: JSONValue.self, patience: Self.testPatience)
        let attempt = try read(json, as: API.Attempt.self)
        if printsJSON {
            try show(json)
        } else {
            let status = attempt.status.map { ", status \($0)" } ?? ""
            let seconds = String(format: "%.2f s", attempt.seconds)
            if let error = attempt.error {
                say("delegate \(name) did not take it (\(seconds)\(status)): \(error)")
            } else {
                Console.output(line: "delegate \(name) took an invented outcome (\(seconds)\(status))")
            }
            if let answer = attempt.answer, !answer.isEmpty { say("it answered: \(answer)") }
        }
        return attempt.error == nil ? .done : .uploadFailed
    }

    func replay(_ delegate: String, _ from: Date?, _ to: Date?) async throws {
        let query = [("from", from), ("to", to)].compactMap { name, time in
            time.map { (name: name, value: WireJSON.timestamp($0)) }
        }
        let answer = try await client.ask(.POST, path(delegate, "replay"), query, as: JSONValue.self)
        if printsJSON { return try show(answer) }
        let count = try read(answer, as: API.Replayed.self).count
        Console.output(line: "\(count) outcomes are delivered to \(delegate) again")
    }

    /// - Returns: `uploadFailed` if the user declined.
    /// - Throws: a usage error if the letters are neither confirmed nor can the user be asked.
    func discard(_ ids: [Int64], isConfirmed: Bool) async throws -> ExitCode {
        let what = ids.count == 1 ? "dead letter \(ids[0])" : "\(ids.count) dead letters"
        guard isConfirmed || (Console.canAsk && Console.confirms("throw \(what) away for good?")) else {
            if Console.canAsk { return .uploadFailed }
            throw ProgramError(.usage, "\(what) would be thrown away for good: confirm it with --yes")
        }
        for id in ids {
            let answer = try await client.ask(.DELETE, "/v1/dead-letters/\(id)", as: JSONValue.self)
            if printsJSON { try show(answer) } else { Console.output(line: "dead letter \(id) is thrown away") }
        }
        return .done
    }

    private func path(_ delegate: String, _ verb: String) -> String {
        "/v1/delegates/\(NotifierClient.encoded(delegate))/\(verb)"
    }
}

import Foundation
import LinuxFiles
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

/// Delegates: listed, shown, registered, changed and removed.
extension InquiryRunner {
    /// The deliveries that are shown with a delegate.
    private static let shownCount = 10
    /// The notifier gives a removal 5 min: a large backlog takes long to delete.
    private static let removalPatience = TimeAmount.seconds(310)

    func delegates() async throws {
        if printsJSON {
            return try await list("/v1/delegates") { (delegates: [API.Delegate]) in Table(delegates, time) }
        }
        let delegates = try await client.ask(.GET, "/v1/delegates", as: ListPage<API.Delegate>.self).items
        show(Table(delegates, time))
        for warning in delegates.flatMap(\.warnings) { say(warning) }
    }

    func carryOut(_ order: DelegateOrder) async throws -> ExitCode {
        switch order {
        case .show(let name): try await show(delegate: name)
        case .add(let name, let fields, let file):
            var body = fields
            body["name"] = .string(name)
            body["secret"] = try Self.secret(file).map { .string($0) }
            tell(
                try await client.ask(.POST, "/v1/delegates", body: .object(body), as: JSONValue.self),
                "delegate \(name) is registered")
        case .change(let name, let patch):
            tell(
                try await client.ask(.PATCH, path(name), body: .object(patch), as: JSONValue.self),
                "delegate \(name) is changed")
        case .rotateSecret(let name, let file, let overlap):
            var body: [String: JSONValue] = [:]
            body["secret"] = try Self.secret(file).map { .string($0) }
            body["overlapSeconds"] = overlap.map { .integer(Int64($0)) }
            let answer = try await client.ask(
                .POST, path(name) + "/rotate-secret", body: .object(body), as: JSONValue.self)
            let until = answer["oldSecretUntil"]?.string.flatMap { WireJSON.date($0) }
            tell(
                answer,
                "another secret signs for delegate \(name)"
                    + (until.map { ", the old one as well until \(time.text($0))" } ?? ""))
        case .remove(let name, let discards, let isConfirmed):
            return try await remove(name, discards: discards, isConfirmed: isConfirmed)
        }
        return .done
    }

    private func show(delegate name: String) async throws {
        let query = [(name: "delegate", value: name), (name: "limit", value: String(Self.shownCount))]
        if printsJSON {
            let delegate = try await client.ask(.GET, path(name), as: JSONValue.self)
            let deliveries = try await client.ask(.GET, "/v1/deliveries", query, as: JSONValue.self)
            return try show(["delegate": delegate, "deliveries": deliveries["deliveries"] ?? []])
        }
        let delegate = try await client.ask(.GET, path(name), as: API.Delegate.self)
        let deliveries = try await client.ask(.GET, "/v1/deliveries", query, as: ListPage<API.Delivery>.self).items
        for line in delegate.lines(time) { Console.output(line: line) }
        if !deliveries.isEmpty {
            Console.output(line: "")
            show(Table(deliveries, time))
        }
        for warning in delegate.warnings { say(warning) }
    }

    /// A secret that was just made is the only line on standard output, so that it can be piped to a store of secrets.
    /// The fields are read one by one: a secret must not be lost because the rest of the answer is of another version.
    private func tell(_ answer: JSONValue, _ sentence: String) {
        if printsJSON {
            try? show(answer)
        } else if let secret = answer["secret"]?.string {
            say("\(sentence); this secret signs its deliveries. Keep it: it is not shown again")
            Console.output(line: secret)
        } else {
            Console.output(line: sentence)
        }
    }

    /// - Returns: `uploadFailed` if the user declined.
    /// - Throws: a usage error if the removal is neither confirmed nor can the user be asked.
    private func remove(_ name: String, discards: Bool, isConfirmed: Bool) async throws -> ExitCode {
        var discards = discards
        if !isConfirmed {
            let delegate = try await client.ask(.GET, path(name), as: API.Delegate.self)
            let waiting = delegate.backlog + delegate.failed
            let lost = waiting > 0 ? ", and forget \(waiting) outcomes that it has not taken" : ""
            guard Console.canAsk else {
                throw ProgramError(.usage, "delegate \(name) would be removed\(lost): confirm it with --yes")
            }
            guard Console.confirms("remove delegate \(name)\(lost)?") else { return .uploadFailed }
            discards = discards || waiting > 0
        }
        let answer: JSONValue
        do {
            answer = try await client.ask(
                .DELETE, path(name), discards ? [(name: "discard", value: "true")] : [], as: JSONValue.self,
                patience: Self.removalPatience)
        } catch let error as ProgramError where error.exitCode == .uploadFailed && !discards {
            throw ProgramError(
                error.exitCode, problems: error.problems.map { $0.replacing("discard=true", with: "--discard") })
        }
        if printsJSON {
            try show(answer)
        } else {
            let forgotten = try read(answer, as: API.RemovedDelegate.self).forgotten
            Console.output(
                line: "delegate \(name) is removed"
                    + (forgotten > 0 ? "; it will not get \(forgotten) outcomes" : ""))
        }
        return .done
    }

    /// - Parameter file: `-` is standard input.
    private static func secret(_ file: String?) throws -> String? {
        guard let file else { return nil }
        if file == "-" { try StandardInput.check("--secret-file -") }
        let data =
            file == "-"
            ? [UInt8](FileHandle.standardInput.readDataToEndOfFile()) : try? File.contents(of: file, atMost: 4096)
        guard let data, data.count <= 4096 else {
            throw ProgramError(.noInput, "--secret-file \(file): cannot be read, or is no secret")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func path(_ delegate: String) -> String { "/v1/delegates/\(NotifierClient.encoded(delegate))" }
}

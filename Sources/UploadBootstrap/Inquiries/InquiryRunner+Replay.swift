import Foundation
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

/// Publishes dead letters again.
extension InquiryRunner {
    /// The most dead letters that one request may publish again.
    private static let replaysMaximum = 1000

    /// - Returns: the exit code of the last refusal, or `done`.
    func replay(_ ids: [Int64]) async throws -> ExitCode {
        var code = ExitCode.done
        for id in ids {
            do {
                let answer = try await client.ask(
                    .POST, "/v1/dead-letters/\(id)/replay", body: ["by": .string(Bootstrap.author)], as: JSONValue.self)
                try tell(answer)
            } catch let error as ProgramError where error.exitCode == .uploadFailed || error.exitCode == .noInput {
                code = error.exitCode
                if printsJSON { try show(["id": .integer(id), "done": false, "reason": .string(error.description)]) }
                say("rejected: \(error.description)")
            }
        }
        return code
    }

    func replay(_ filter: DeadLetterFilter, isConfirmed: Bool) async throws -> ExitCode {
        if isConfirmed { return try await replay(filter, atMost: Self.replaysMaximum) }
        do {
            return try await replay(filter, atMost: 1)
        } catch let error as ProgramError where error.matched != nil {
            let count = min(error.matched ?? 0, Self.replaysMaximum)
            guard Console.canAsk else {
                throw ProgramError(
                    .usage, "\(error.matched ?? 0) dead letters would be published again: confirm it with --yes")
            }
            guard Console.confirms("publish \(error.matched ?? 0) dead letters again?") else { return .uploadFailed }
            return try await replay(filter, atMost: count)
        }
    }

    private func replay(_ filter: DeadLetterFilter, atMost: Int) async throws -> ExitCode {
        let fields = Dictionary(uniqueKeysWithValues: filter.fields.map { ($0.name, JSONValue.string($0.value)) })
        let answer = try await client.ask(
            .POST, "/v1/dead-letters/replay",
            body: ["filter": .object(fields), "atMost": .integer(Int64(atMost)), "by": .string(Bootstrap.author)],
            as: JSONValue.self, patience: .seconds(70))
        guard case .array(let letters)? = answer["deadLetters"] else {
            throw client.foreign("its answer is not understood")
        }
        if letters.isEmpty { say("there are none") }
        for letter in letters { try tell(letter) }
        return answer["done"] == answer["matched"] ? .done : .uploadFailed
    }

    private func tell(_ answer: JSONValue) throws {
        let replay = try read(answer, as: API.DeadLetterReplay.self)
        if printsJSON { try show(answer) }
        if !replay.done {
            say("rejected: \(replay.reason ?? "dead letter \(replay.id)")")
        } else if !printsJSON {
            Console.output(
                line:
                    "dead letter \(replay.id) is published again: to \(PlainText.safe(replay.to ?? "where it belongs"))"
            )
        }
    }
}

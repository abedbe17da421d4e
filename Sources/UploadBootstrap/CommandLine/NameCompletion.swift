public import ArgumentParser
import Dispatch
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// Shell completion of names that the notifier knows at the moment. It offers none where the notifier does not answer at once.
public enum NameCompletion {
    /// Transfer queues.
    public static let queues = CompletionKind.custom { words, _, _ in names(of: "/v1/queues", words) }
    /// Destinations that the notifier's configuration or a job names.
    public static let destinations = CompletionKind.custom { words, _, _ in
        names(of: "/v1/destinations", words)
    }
    public static let delegates = CompletionKind.custom { words, _, _ in names(of: "/v1/delegates", words) }
    /// Workers that have reported themselves.
    public static let workers = CompletionKind.custom { words, _, _ in names(of: "/v1/workers", words) }
    /// The ids of the newest jobs.
    public static let jobs = CompletionKind.custom { words, _, _ in
        ask(words) { client in
            try await client.ask(
                .GET, "/v1/jobs", [("limit", "50")], as: ListPage<Identified>.self, patience: patience
            ).items.map(\.id)
        }
    }

    private struct Named: Decodable { var name: String }
    private struct Identified: Decodable { var id: String }

    /// Short, because a user waits at the keyboard.
    private static let patience = TimeAmount.seconds(2)

    private static func names(of path: String, _ words: [String]) -> [String] {
        ask(words) { client in
            try await client.ask(.GET, path, as: ListPage<Named>.self, patience: patience).items.map(\.name)
        }
    }

    private final class Answer: Sendable {
        let names = Mutex<[String]>([])
        let semaphore = DispatchSemaphore(value: 0)
    }

    /// Waits for the answer on the calling thread, because ArgumentParser lets commands complete asynchronously, but not groups of options.
    /// The wait is bounded, because the answer may need this very thread.
    private static func ask(
        _ words: [String], _ body: @escaping @Sendable (NotifierClient) async throws -> [String]
    ) -> [String] {
        guard let configuration = try? UploadConfiguration(input(words)) else { return [] }
        let answer = Answer()
        Task.detached {
            let names = (try? await NotifierClient.with(configuration, body)) ?? []
            answer.names.withLock { $0 = names }
            answer.semaphore.signal()
        }
        _ = answer.semaphore.wait(timeout: .now() + 3)
        return answer.names.withLock { $0 }
    }

    /// The notifier's address and token, taken from the words that are on the command line so far.
    static func input(_ words: [String]) -> ConfigurationInput {
        func value(_ flag: String) -> String? {
            for (index, word) in words.enumerated() {
                if word == flag, index + 1 < words.count { return words[index + 1] }
                if word.hasPrefix(flag + "=") { return String(word.dropFirst(flag.count + 1)) }
            }
            return nil
        }
        var input = ConfigurationInput(file: value("--config"))
        input.set("api", to: value("--api"), flag: "--api")
        input.set("notifier.token", to: value("--token-file").map { "file:\($0)" }, flag: "--token-file")
        return input
    }
}

import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(10)))
struct CredentialsCacheTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// A source that returns the test's values at the times that the test chooses.
    private final class Source: AWSCredentialsProvider {
        private struct State: Sendable {
            var results: [Result<AWSCredentials, UploadError>]
            var door: Door?
            var loads = 0
        }

        let rereadSeconds: TimeInterval?
        private let state: Mutex<State>

        var place: String { "the test" }
        var loads: Int { state.withLock { $0.loads } }

        /// - Parameter results: one for each load; the last one repeats.
        init(_ results: [Result<AWSCredentials, UploadError>], rereadSeconds: TimeInterval? = nil) {
            state = Mutex(State(results: results))
            self.rereadSeconds = rereadSeconds
        }

        /// From here on, loads wait at the returned door.
        func close() -> Door {
            let door = Door()
            state.withLock { $0.door = door }
            return door
        }

        func load() async throws(UploadError) -> AWSCredentials? {
            let (result, door) = state.withLock { state in
                state.loads += 1
                let result = state.results[min(state.loads, state.results.count) - 1]
                return (result, state.door)
            }
            await door?.wait()
            return try result.get()
        }
    }

    private static func credentials(_ number: Int, minutes: Double? = nil) -> AWSCredentials {
        AWSCredentials(
            accessKeyID: "AKID\(number)", secretAccessKey: "secret", expiresAt: minutes.map { now + $0 * 60 })
    }

    private static let broken = UploadError(.networkFailure, "the source is broken")

    @Test func `however many ask, the source is asked once`() async throws {
        let source = Source([.success(Self.credentials(1, minutes: 60))])
        let door = source.close()
        let cache = CredentialsCache(source)
        let given = try await withThrowingTaskGroup(of: AWSCredentials.self) { group in
            for _ in 0..<100 { group.addTask { try await cache.current(at: Self.now) } }
            try await eventually("all wait") { cache.waiterCount == 100 }
            door.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(given == Array(repeating: Self.credentials(1, minutes: 60), count: 100))
        #expect(source.loads == 1)
    }

    @Test func `who is cancelled stops waiting, and the others get what was loaded`() async throws {
        let source = Source([.success(Self.credentials(1))])
        let door = source.close()
        let cache = CredentialsCache(source)
        let first = Task { try await cache.current(at: Self.now) }
        try await eventually("the first waits") { cache.waiterCount == 1 }
        let second = Task { try await cache.current(at: Self.now) }
        try await eventually("the second waits") { cache.waiterCount == 2 }
        first.cancel()
        let error = await #expect(throws: UploadError.self) { try await first.value }
        #expect(error?.code == .interrupted)
        #expect(cache.waiterCount == 1)
        door.open()
        #expect(try await second.value == Self.credentials(1))
        #expect(source.loads == 1)
    }

    @Test func `a task that is cancelled already does not hang and stops nothing`() async throws {
        let source = Source([.success(Self.credentials(1))])
        let door = source.close()
        let cache = CredentialsCache(source)
        let start = Door()
        let task = Task {
            await start.wait()
            return try await cache.current(at: Self.now)
        }
        task.cancel()
        start.open()
        await #expect(throws: UploadError.self) { try await task.value }
        door.open()
        #expect(try await cache.current(at: Self.now) == Self.credentials(1))
        #expect(source.loads == 1)
    }

    @Test func `credentials are refreshed behind the requests five minutes before they end`() async throws {
        let source = Source([
            .success(Self.credentials(1, minutes: 10)), .success(Self.credentials(2, minutes: 70)),
        ])
        let cache = CredentialsCache(source)
        #expect(try await cache.current(at: Self.now) == Self.credentials(1, minutes: 10))
        #expect(try await cache.current(at: Self.now + 299) == Self.credentials(1, minutes: 10))
        #expect(source.loads == 1)
        let door = source.close()
        for _ in 0..<3 {
            #expect(try await cache.current(at: Self.now + 301) == Self.credentials(1, minutes: 10), "no caller waits")
        }
        door.open()
        try await eventually("the new ones are used") {
            try await cache.current(at: Self.now + 302) == Self.credentials(2, minutes: 70)
        }
        #expect(source.loads == 2)
    }

    @Test func `a refresh that fails keeps the old ones until their last minute`() async throws {
        let old = Self.credentials(1, minutes: 10)
        let source = Source([.success(old), .failure(Self.broken)])
        let cache = CredentialsCache(source)
        #expect(try await cache.current(at: Self.now) == old)
        #expect(try await cache.current(at: Self.now + 400) == old)
        try await eventually("it failed") { !cache.isLoading }
        #expect(source.loads == 2)
        let door = source.close()
        #expect(try await cache.current(at: Self.now + 404) == old)
        #expect(source.loads == 2, "left alone for a while")
        #expect(try await cache.current(at: Self.now + 406) == old)
        door.open()
        try await eventually("it failed again") { !cache.isLoading }
        #expect(source.loads == 3)
        let error = await #expect(throws: UploadError.self) { try await cache.current(at: Self.now + 541) }
        #expect(error?.code == .networkFailure)
        let loads = source.loads
        await #expect(throws: UploadError.self) { try await cache.current(at: Self.now + 544) }
        #expect(source.loads == loads, "the same failure is told for a while")
        await #expect(throws: UploadError.self) { try await cache.current(at: Self.now + 547) }
        #expect(source.loads == loads + 1)
    }

    @Test func `a source that gives nothing younger is believed and not hammered`() async throws {
        let source = Source([.success(Self.credentials(1, minutes: 0.5))])
        let cache = CredentialsCache(source)
        for seconds in [0.0, 1, 2, 4.9] {
            #expect(try await cache.current(at: Self.now + seconds) == Self.credentials(1, minutes: 0.5))
        }
        #expect(source.loads == 1)
        #expect(try await cache.current(at: Self.now + 6) == Self.credentials(1, minutes: 0.5))
        #expect(source.loads == 2)
    }

    @Test func `credentials without an end are asked for once, unless the source is cheap`() async throws {
        let fixed = Source([.success(Self.credentials(1)), .success(Self.credentials(2))])
        let cache = CredentialsCache(fixed)
        for day in 0..<3 {
            #expect(try await cache.current(at: Self.now + Double(day) * 86_400) == Self.credentials(1))
        }
        #expect(fixed.loads == 1)
        let cheap = Source(
            [.success(Self.credentials(1)), .failure(Self.broken), .success(Self.credentials(2))], rereadSeconds: 1)
        let other = CredentialsCache(cheap)
        #expect(try await other.current(at: Self.now) == Self.credentials(1))
        #expect(try await other.current(at: Self.now + 0.9) == Self.credentials(1))
        #expect(cheap.loads == 1)
        #expect(try await other.current(at: Self.now + 2) == Self.credentials(1), "the old ones are better than none")
        #expect(try await other.current(at: Self.now + 4) == Self.credentials(2))
    }

    @Test func `what the server rejects is loaded anew, and a source that insists is believed for a while`()
        async throws
    {
        let source = Source([
            .success(Self.credentials(1)), .success(Self.credentials(2)), .success(Self.credentials(2)),
            .success(Self.credentials(2)), .success(Self.credentials(3)),
        ])
        let cache = CredentialsCache(source)
        #expect(try await cache.current(at: Self.now) == Self.credentials(1))
        cache.reject(Self.credentials(1))
        #expect(try await cache.current(at: Self.now) == Self.credentials(2))
        cache.reject(Self.credentials(1))
        #expect(try await cache.current(at: Self.now) == Self.credentials(2), "these were replaced long ago")
        #expect(source.loads == 2)
        cache.reject(Self.credentials(2))
        #expect(try await cache.current(at: Self.now + 1) == Self.credentials(2))
        #expect(source.loads == 3)
        cache.reject(Self.credentials(2))
        #expect(try await cache.current(at: Self.now + 2) == Self.credentials(2))
        #expect(source.loads == 3)
        #expect(try await cache.current(at: Self.now + 7) == Self.credentials(2))
        #expect(source.loads == 4)
        cache.reject(Self.credentials(2))
        #expect(try await cache.current(at: Self.now + 13) == Self.credentials(3))
        cache.reject(Self.credentials(3))
        #expect(try await cache.current(at: Self.now + 13) == Self.credentials(3))
        #expect(source.loads == 6, "what was never insisted on is asked for at once")
    }

    @Test func `a source that insisted is asked at once about what it gave later`() async throws {
        let source = Source(
            [1, 1, 2, 3].map { .success(Self.credentials($0)) }, rereadSeconds: 1)
        let cache = CredentialsCache(source)
        cache.reject(try await cache.current(at: Self.now))
        #expect(try await cache.current(at: Self.now) == Self.credentials(1))
        #expect(try await cache.current(at: Self.now + 2) == Self.credentials(2))
        cache.reject(Self.credentials(2))
        #expect(try await cache.current(at: Self.now + 2) == Self.credentials(3))
    }

    @Test func `a rejection during a load that brings the same ones loads once more`() async throws {
        let source = Source([
            .success(Self.credentials(1, minutes: 10)), .success(Self.credentials(1, minutes: 10)),
            .success(Self.credentials(2, minutes: 60)),
        ])
        let cache = CredentialsCache(source)
        let held = try await cache.current(at: Self.now)
        let door = source.close()
        #expect(try await cache.current(at: Self.now + 400) == held)
        cache.reject(held)
        let waiting = Task { try await cache.current(at: Self.now + 400) }
        try await eventually("it waits for the load under way") { cache.waiterCount == 1 }
        #expect(source.loads == 2)
        door.open()
        #expect(try await waiting.value == Self.credentials(2, minutes: 60))
        #expect(source.loads == 3)
    }

    @Test func `no credentials are an error that names the place`() async throws {
        let cache = CredentialsCache(EnvironmentCredentials(environment: [:]))
        let error = await #expect(throws: UploadError.self) { try await cache.current(at: Self.now) }
        #expect(error?.code == .notAuthenticated)
        #expect(error?.retry == .afterBackoff)
        #expect(error?.message.contains("AWS_ACCESS_KEY_ID") == true)
    }

    @Test func `a clock that is set back does not make a failure last`() async throws {
        let source = Source([.failure(Self.broken), .success(Self.credentials(1))])
        let cache = CredentialsCache(source)
        await #expect(throws: UploadError.self) { try await cache.current(at: Self.now) }
        #expect(try await cache.current(at: Self.now - 3600) == Self.credentials(1))
    }
}

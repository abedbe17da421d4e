import Testing
import UploadNotifier
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct DestinationRegistryTests {
    private let files: Files

    init() throws { files = try Files() }

    private func registry(_ yaml: String) throws -> DestinationRegistry {
        try DestinationRegistry(try UploadConfiguration(try files.input(yaml)))
    }

    private func named(_ name: String) -> DestinationReference { .named(DestinationName(unchecked: name), key: "k") }

    @Test func `names and URLs find their drivers, unknown names find none`() async throws {
        let registry = try registry("destinations: {a: {driver: directory, path: /x, limits: {jobs: 3}}}")
        #expect(try registry.destination(for: named("a"))?.driver == "directory")
        #expect(try registry.destination(for: named("a"))?.limits.jobs == 3)
        #expect(try registry.destination(for: named("b")) == nil)
        #expect(try registry.destination(for: .url("https://host/x"))?.driver == "http")
        #expect(try registry.destination(for: .url("FILE:///x"))?.driver == "directory")
        #expect(throws: UploadError.self) { try registry.destination(for: .url("ftp://host/x")) }
        try await registry.shutdown()
    }

    @Test func `a destination's retry policy is found by its name, and changes with a reload`() async throws {
        let registry = try registry(
            "destinations: {a: {driver: directory, path: /x, retry: {maxAttempts: 3, cap: 1m}}, b: {driver: directory, path: /y}}"
        )
        #expect(registry.retry(for: named("a")) == RetryPolicy(maxAttempts: 3, cap: 60))
        #expect(registry.retry(for: named("b")) == nil)
        #expect(registry.retry(for: .url("https://host/x")) == nil)
        let next = "destinations: {a: {driver: directory, path: /x, retry: {maxAge: 2h, base: 5s}}}"
        try registry.reload(try UploadConfiguration(try files.input(next)))
        #expect(registry.retry(for: named("a")) == RetryPolicy(maxAge: 7200, base: 5))
        try await registry.shutdown()
    }

    @Test func `reloading changes limits and names; a wrong configuration changes nothing`() async throws {
        let registry = try registry("destinations: {a: {driver: directory, path: /x}}")
        let next =
            "destinations: {a: {driver: directory, path: /x, limits: {jobs: 9}}, b: {driver: http, url: https://h/}}"
        try registry.reload(try UploadConfiguration(try files.input(next)))
        #expect(try registry.destination(for: named("a"))?.limits.jobs == 9)
        #expect(try registry.destination(for: named("b"))?.driver == "http")
        let bad = try UploadConfiguration(
            try files.input("destinations: {b: {driver: http, url: https://h/, bearerToken: env:NOT_SET_ANYWHERE}}"))
        let error = #expect(throws: ProgramError.self) { try registry.reload(bad) }
        #expect(error?.description.hasPrefix("upload.yaml:1: destinations.b.bearerToken: ") == true)
        #expect(try registry.destination(for: named("a"))?.limits.jobs == 9)
        try await registry.shutdown()
    }

    @Test func `a notifier leaves out what it has no secret for, and sweeps what can be listed`() async throws {
        let yaml = """
            destinations:
              secret: {driver: http, url: https://h/, bearerToken: env:NOT_SET_ANYWHERE}
              web: {driver: http, url: https://h/}
              b: {driver: directory, path: /x}
              a: {driver: directory, path: /y}
            """
        let configuration = try UploadConfiguration(try files.input(yaml))
        var refused: [String] = []
        let registry = try DestinationRegistry(configuration) { name, _ in refused.append(name.rawValue) }
        #expect(refused == ["secret"])
        #expect(registry.sweepable.map(\.name.rawValue) == ["a", "b"])
        #expect(try registry.destination(for: named("secret")) == nil)
        try await registry.shutdown()
    }

    @Test func `user, token and headers become headers`() throws {
        let configuration = try UploadConfiguration(
            try files.input(
                """
                destinations:
                  a: {driver: http, url: https://h/, username: jo, password: env:P, headers: {X-Team: blue}}
                """, environment: ["P": "swordfish"]))
        let name = DestinationName(unchecked: "a")
        let http = try #require(configuration.destinations?[name]?.driver as? HTTPSettings)
        #expect(
            try configuration.headers(of: name, http.web)
                == ["Authorization": "Basic am86c3dvcmRmaXNo", "X-Team": "blue"])
    }

    @Test func `destinations with the same route share their connections`() async throws {
        let clients = HTTPClients()
        let usual = try clients.client()
        #expect(try clients.client(HTTPRoute()) === usual)
        let patient = try clients.client(HTTPRoute(connectSeconds: 60))
        #expect(patient !== usual)
        #expect(try clients.client(HTTPRoute(proxy: "http://127.0.0.1:9", connectSeconds: 60)) !== patient)
        #expect(throws: ProgramError.self) { try clients.client(HTTPRoute(proxy: "nowhere")) }
        try await clients.shutdown()
    }
}

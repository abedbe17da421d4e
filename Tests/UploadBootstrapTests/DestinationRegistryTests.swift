import Testing
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(1)))
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

    @Test func `user, token and headers become headers`() throws {
        let configuration = try UploadConfiguration(
            try files.input(
                """
                destinations:
                  a: {driver: http, url: https://h/, username: jo, password: env:P, headers: {X-Team: blue}}
                """, environment: ["P": "swordfish"]))
        let name = DestinationName(unchecked: "a")
        guard case .http(let http)? = configuration.destinations?[name]?.driver else {
            Issue.record("no http destination")
            return
        }
        #expect(
            try configuration.headers(of: name, http)
                == ["Authorization": "Basic am86c3dvcmRmaXNo", "X-Team": "blue"])
    }
}

import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Webhook delegate", .timeLimit(.minutes(10)))
struct WebhookDelegateTests {
    private static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()
    private static let other = "whsec_" + Data((0..<32).map { UInt8(255 - $0) }).base64EncodedString()

    private let outcome = UploadEvent(kind: .completed, of: Baton(job: Sample.job()), at: Sample.start).asOutcome

    private func hook(_ url: String, secrets: [String] = [secret], timeout: TimeInterval = 20) throws -> WebhookDelegate
    {
        let loopback = try NetworkRange("127.0.0.0/8")
        return try WebhookDelegate(
            name: "billing", WebhookConfiguration(url: url, secrets: secrets, timeout: timeout),
            allowNetworks: [loopback], logger: quiet)
    }

    private func failure(_ delegate: WebhookDelegate) async -> UploadError? {
        do throws(UploadError) {
            try await delegate.deliver(outcome)
            return nil
        } catch { return error }
    }

    /// Verifies a request with the reference implementation, in Python.
    private func verify(_ request: HookServer.Request, secret: String) throws -> Bool {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            """
            import json, sys
            from standardwebhooks import Webhook, WebhookVerificationError
            given = json.load(sys.stdin)
            try:
                Webhook(given["secret"]).verify(given["body"], given["headers"])
                print("good")
            except WebhookVerificationError:
                print("bad")
            """,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        struct Given: Encodable {
            let secret: String
            let body: String
            let headers: [String: String]
        }
        let given = Given(secret: secret, body: request.body, headers: request.headers)
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(given))
        try input.fileHandleForWriting.close()
        let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "python3 with the package standardwebhooks is needed")
        return answer.hasPrefix("good")
    }

    @Test func `an outcome is a CloudEvent whose signature an independent program accepts, for every secret`()
        async throws
    {
        let server = try await HookServer()
        try await hook(server.url("a/204"), secrets: [Self.secret, Self.other]).deliver(outcome)
        let request = try #require(try await server.requests(1).first)
        #expect(request.headers["webhook-id"] == outcome.id)
        #expect(request.headers["content-type"]?.hasPrefix("application/cloudevents+json") == true)
        #expect(try WireJSON.decode(UploadEvent.self, from: Data(request.body.utf8)) == outcome)
        #expect(try verify(request, secret: Self.secret))
        #expect(try verify(request, secret: Self.other))
        let wrong = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
        #expect(try !verify(request, secret: wrong))
    }

    @Test func `a repeat carries the same id and its own timestamp`() async throws {
        let server = try await HookServer()
        let time = ManualClock()
        let delegate = try WebhookDelegate(
            name: "billing", WebhookConfiguration(url: server.url("a/500,200"), secrets: [Self.secret]),
            allowNetworks: [try NetworkRange("127.0.0.0/8")], now: { time.now }, logger: quiet)
        #expect(await failure(delegate)?.retry == .afterBackoff)
        time.advance(to: Sample.start.addingTimeInterval(5))
        #expect(await failure(delegate) == nil)
        let requests = try await server.requests(2)
        #expect(requests.map { $0.headers["webhook-id"] } == [outcome.id, outcome.id])
        #expect(requests.map { $0.headers["webhook-timestamp"] } == ["1800000000", "1800000005"])
    }

    @Test func `deliveries share a connection, and a server that closed it meanwhile gets the event again at once`()
        async throws
    {
        let heads = Box<[[String]]>([])
        let server = try ScriptedServer { connection in
            var number = 0
            heads.change { heads in
                number = heads.count
                heads.append([])
            }
            // The first connection answers two requests, and closes when the third has come.
            while case let head = connection.readHead(), !head.isEmpty {
                let length = head.lowercased().firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
                connection.read(length)
                heads.change { $0[number].append(head) }
                if number == 0, heads.value[0].count == 3 { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let delegate = try hook("http://127.0.0.1:\(server.port)/a%20b?c=d#e")
        for _ in 0..<3 { #expect(await failure(delegate) == nil) }
        #expect(heads.value.map(\.count) == [3, 1])
        let head = try #require(heads.value.last?.first)
        #expect(head.hasPrefix("POST /a%20b?c=d HTTP/1.1\r\n"))
        #expect(head.lowercased().contains("\r\nhost: 127.0.0.1:\(server.port)\r\n"))
    }

    @Test func `Retry-After is passed on`() async throws {
        let server = try await HookServer()
        #expect(await failure(try hook(server.url("a/busy")))?.retry == .after(seconds: 7))
        let date = RetryAfter.seconds("Fri, 15 Jan 2027 08:00:30 GMT", now: Sample.start)
        #expect(date == 30)
        #expect(RetryAfter.seconds("soon", now: Sample.start) == nil)
    }

    @Test func `410 is for good`() async throws {
        let server = try await HookServer()
        #expect(await failure(try hook(server.url("a/410")))?.retry == .never)
    }

    @Test func `a redirect is not followed`() async throws {
        let server = try await HookServer()
        let error = await failure(try hook(server.url("a/302")))
        #expect(error?.message.contains("redirects are not followed") == true)
        #expect(try await server.requests(1).map(\.path) == ["/a/302"])
    }

    @Test func `an endless answer is cut off, and its first KiB kept`() async throws {
        let server = try await HookServer()
        let error = await failure(try hook(server.url("a/big")))
        #expect(error?.response?.status == 500)
        #expect(error?.response?.body?.utf8.count == 1024)
    }

    @Test(arguments: ["stall", "break"])
    func `a success whose body does not come to its end is a success, and final`(body: String) async throws {
        let server = try await HookServer()
        let answer = try await hook(server.url("a/\(body)")).deliver(outcome)
        #expect(answer?.status == 200)
        #expect(answer?.body == "hello")
        #expect(try await server.requests(1).count == 1)
    }

    @Test func `no answer within the time is a failure that may pass`() async throws {
        let server = try await HookServer()
        let error = await failure(try hook(server.url("a/hang"), timeout: 0.2))
        #expect(error?.code == .networkFailure)
        #expect(error?.retry == .afterBackoff)
    }

    @Test func `a server that does not exist is a failure that may pass`() async throws {
        #expect(await failure(try hook("http://127.0.0.1:1/", timeout: 1))?.code == .networkFailure)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f.1", "2130706433"])
    func `the inside is refused unless its network is allowed, however it is spelled`(host: String) async throws {
        let server = try await HookServer()
        let delegate = try WebhookDelegate(
            name: "billing", WebhookConfiguration(url: server.url("a/200", host: host), secrets: [Self.secret]),
            logger: quiet)
        let error = await failure(delegate)
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("allowNetworks") == true)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["hooks.example", "Hooks.Example"])
    func `the request goes to the address that was checked, under the name that was given`(host: String) async throws {
        let server = try await HookServer()
        // The system's resolver does not know the name: only the pinned address can lead to the server.
        let addresses = AddressGuard(
            allowed: [try NetworkRange("127.0.0.1")], resolve: { _ in [NetworkAddress(bytes: [127, 0, 0, 1])] })
        let delegate = try WebhookDelegate(
            name: "billing", WebhookConfiguration(url: server.url("a/200", host: host), secrets: [Self.secret]),
            addresses: addresses)
        try await delegate.deliver(outcome)
        let request = try await server.requests(1).first
        #expect(request?.headers["host"]?.hasPrefix("hooks.example") == true)
    }

    @Test func `a certificate of a private authority counts where the configuration names it, and nowhere else`()
        async throws
    {
        let scratch = try Scratch()
        let server = try await HookServer(certificate: scratch.file("ca.pem"))
        let addresses = AddressGuard(
            allowed: [try NetworkRange("127.0.0.1")], resolve: { _ in [NetworkAddress(bytes: [127, 0, 0, 1])] })
        let url = server.url("a/200", host: "hooks.example").replacing("http:", with: "https:")
        var configuration = WebhookConfiguration(url: url, secrets: [Self.secret])
        let stranger = try WebhookDelegate(name: "billing", configuration, addresses: addresses)
        #expect(await failure(stranger)?.code == .networkFailure)
        #expect(server.requests.isEmpty)
        configuration.authorities = try Data(contentsOf: URL(filePath: scratch.file("ca.pem")))
        let known = try WebhookDelegate(name: "billing", configuration, addresses: addresses)
        #expect(await failure(known) == nil)
        #expect(try await server.requests(1).count == 1)
    }

    @Test func `when no server answers at one address of a name, the next attempt goes to another`() async throws {
        let server = try await HookServer()
        let addresses = AddressGuard(
            allowed: [try NetworkRange("127.0.0.0/8")],
            resolve: { _ in [NetworkAddress(bytes: [127, 0, 0, 9]), NetworkAddress(bytes: [127, 0, 0, 1])] })
        let delegate = try WebhookDelegate(
            name: "billing",
            WebhookConfiguration(url: server.url("a/200", host: "hooks.example"), secrets: [Self.secret]),
            addresses: addresses)
        #expect(await failure(delegate)?.code == .networkFailure)
        #expect(await failure(delegate) == nil)
        #expect(await failure(delegate) == nil)
    }

    @Test func `a name with one address inside is refused though another is public`() async throws {
        let addresses = AddressGuard(
            allowed: [],
            resolve: { _ in [NetworkAddress(bytes: [93, 184, 216, 34]), NetworkAddress(bytes: [10, 0, 0, 1])] })
        await #expect(throws: UploadError.self) { _ = try await addresses.addresses(of: "mixed.example") }
    }

    @Test(arguments: [
        "ftp://host.example/", "host.example", "https://", "https://user:hidden@host.example/", "file:///etc/passwd",
        "https://host.example:0/", "https://host.example:65536/",
    ])
    func `a url that is none of http's is refused, and what is secret in it is not shown`(url: String) throws {
        let error = #expect(throws: UploadError.self) { _ = try hook(url) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("hidden") == false)
    }

    @Test(arguments: [[], ["hidden"], ["whsec_"], ["whsec_hidden!"]])
    func `a secret that is none is refused without showing it`(secrets: [String]) throws {
        let error = #expect(throws: UploadError.self) { _ = try hook("https://host.example/", secrets: secrets) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("hidden") == false)
    }
}

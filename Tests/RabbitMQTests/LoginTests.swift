import Foundation
import RabbitMQ
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10)))
struct LoginTests {
    private func opening(_ configuration: ConnectionConfiguration) async -> RabbitMQError? {
        await failure { await (try Connection.open(configuration, logger: BrokerTesting.logger)).close() }
    }

    @Test func `A wrong password and an unknown virtual host are refused, and the password is not shown`() async throws
    {
        let broker = try await BrokerNode.shared()
        var configuration = try BrokerTesting.configuration(port: broker.port)
        configuration.password = "hunter2-secret"
        let wrong = try #require(await opening(configuration))
        #expect(wrong.code == .loginRefused)
        #expect(!wrong.isRetryable)
        #expect(!String(reflecting: wrong).contains("hunter2"))
        #expect(!"\(configuration)".contains("hunter2") && !String(reflecting: configuration).contains("hunter2"))

        configuration = try BrokerTesting.configuration(port: broker.port)
        configuration.virtualHost = "/no such host"
        #expect(await opening(configuration)?.code == .loginRefused)
    }

    @Test func `A port without a server refuses the connection, and with a silent server it times out`() async throws {
        #expect(await opening(try BrokerTesting.configuration(port: Ports.free()))?.code == .connectionRefused)
        let broker = try await BrokerNode.shared()
        let proxy = try FaultProxy(to: broker.port)
        proxy.stall()
        var configuration = try BrokerTesting.configuration(port: proxy.port)
        configuration.connectTimeout = .milliseconds(300)
        #expect(await opening(configuration)?.code == .timedOut)
        proxy.stop()
    }

    private func tlsConfiguration(_ broker: BrokerNode, _ tls: TLSConfiguration) throws -> ConnectionConfiguration {
        var configuration = try ConnectionConfiguration(urls: [try #require(broker.tlsURL)])
        configuration.tls = tls
        return configuration
    }

    @Test func `TLS with the right authority works, with a client certificate as well`() async throws {
        let broker = try await BrokerNode.shared()
        let certificates = try #require(broker.certificates)
        let plain = try tlsConfiguration(broker, TLSConfiguration(caFile: certificates.authority))
        #expect(await opening(plain) == nil)

        let shown = try tlsConfiguration(
            broker,
            TLSConfiguration(
                caFile: certificates.authority, certificateFile: certificates.clientCertificate,
                keyFile: certificates.clientKey))
        let connection = try await Connection.open(shown, logger: BrokerTesting.logger)
        let subjects = try await broker.ctl("list_connections", "peer_cert_subject")
        #expect(subjects.contains("CN=longshore-client"))
        let queue = BrokerTesting.queue()
        try await connection.define(Topology(queues: [queue]))
        let channel = try await connection.openChannel()
        let body = Data(repeating: 7, count: 1_000_000)
        try await channel.publish(Message(body: body), to: "", routingKey: queue.name)
        #expect(try await channel.get(queue.name)?.message.body == body)
        await connection.close()
    }

    @Test func `TLS with a wrong authority, host name or client certificate is refused`() async throws {
        let broker = try await BrokerNode.shared()
        let certificates = try #require(broker.certificates)
        let wrongAuthority = try tlsConfiguration(broker, TLSConfiguration(caFile: certificates.otherAuthority))
        #expect(await opening(wrongAuthority)?.code == .tlsFailed)
        let system = try tlsConfiguration(broker, TLSConfiguration())
        #expect(await opening(system)?.code == .tlsFailed)

        var wrongName = try tlsConfiguration(broker, TLSConfiguration(caFile: certificates.authority))
        wrongName.addresses[0].host = "127.0.0.1"
        #expect(await opening(wrongName)?.code == .tlsFailed)
        wrongName.tls?.verifiesHostName = false
        #expect(await opening(wrongName) == nil)

        let missing = try tlsConfiguration(broker, TLSConfiguration(caFile: "/no/such/file.pem"))
        let error = await opening(missing)
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("/no/such/file.pem") == true)

        var plainPort = try tlsConfiguration(broker, TLSConfiguration(caFile: certificates.authority))
        plainPort.addresses[0].port = broker.port
        let plain = await opening(plainPort)
        #expect(plain?.code == .tlsFailed && plain?.message.contains("does not speak TLS") == true, "\(plain as Any)")
    }

    /// A TLS server with a certificate of the test's authority, which sends nothing after the handshake.
    private func atServer(
        _ certificates: TestCertificates, naming names: String, days: Int = 2, more: [String] = [],
        _ body: (ConnectionConfiguration) async throws -> Void
    ) async throws {
        let made = try await certificates.makeServer(UniqueNames.make("tls"), naming: names, days: days)
        let port = try Ports.free()
        let server = try ChildProcess(
            "/usr/bin/openssl",
            ["s_server", "-www", "-accept", "127.0.0.1:\(port)", "-cert", made.certificate, "-key", made.key] + more)
        defer { server.stop() }
        try await eventually("the server listens") { Ports.isOpen(port) }
        var configuration = try ConnectionConfiguration(urls: ["amqps://127.0.0.1:\(port)/"])
        configuration.tls = TLSConfiguration(caFile: certificates.authority)
        configuration.connectTimeout = .seconds(2)
        try await body(configuration)
    }

    @Test func `What is wrong with a certificate is said, and IP addresses in it count`() async throws {
        let certificates = try #require(try await BrokerNode.shared().certificates)
        try await atServer(certificates, naming: "IP:127.0.0.1") { configuration in
            // The handshake is done; no AMQP follows.
            #expect(await opening(configuration)?.code == .timedOut)
        }
        try await atServer(certificates, naming: "IP:127.0.0.2") { configuration in
            let error = await opening(configuration)
            #expect(error?.code == .tlsFailed && error?.message.contains("does not name this host") == true)
        }
        try await atServer(certificates, naming: "IP:127.0.0.1", days: 0) { configuration in
            try await eventually("it has expired") {
                let error = await opening(configuration)
                return error?.code == .tlsFailed && error?.message.contains("has expired") == true
            }
        }
        try await atServer(
            certificates, naming: "IP:127.0.0.1",
            more: ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.authority]
        ) { configuration in
            let missing = await opening(configuration)
            #expect(missing?.code == .tlsFailed, "\(missing as Any)")
            #expect(missing?.message.contains("asks for a client certificate, and none is given") == true)
            var given = configuration
            given.tls?.certificateFile = certificates.clientCertificate
            given.tls?.keyFile = certificates.clientKey
            #expect(await opening(given)?.code == .timedOut)
        }
    }

    @Test func `What may pass is told from what is final`() async throws {
        let broker = try await BrokerNode.shared()
        let certificates = try #require(broker.certificates)
        // A load balancer whose broker is away.
        let proxy = try FaultProxy(to: broker.port)
        defer { proxy.stop() }
        proxy.refuse()
        var closing = try ConnectionConfiguration(urls: ["amqps://127.0.0.1:\(proxy.port)/"])
        closing.tls = TLSConfiguration(caFile: certificates.authority)
        let closed = await opening(closing)
        #expect(closed?.code == .connectionRefused && closed?.isRetryable == true, "\(closed as Any)")

        // In a list of brokers, a permanent error does not hide an error that may pass.
        var wrongName = try tlsConfiguration(broker, TLSConfiguration(caFile: certificates.authority))
        wrongName.addresses[0].host = "127.0.0.1"
        #expect(await opening(wrongName)?.code == .tlsFailed)
        wrongName.addresses.append(closing.addresses[0])
        let both = await opening(wrongName)
        #expect(both?.isRetryable == true && both?.message.contains("does not name this host") == true)
        // A refused login does, because it is the same at all brokers.
        var login = try BrokerTesting.configuration(port: broker.port)
        login.addresses.insert(BrokerAddress(host: "127.0.0.1", port: try Ports.free()), at: 0)
        login.password = "wrong"
        #expect(await opening(login)?.code == .loginRefused)

        let host = UniqueNames.make("vhost")
        try await broker.ctl("add_vhost", host)
        try await broker.ctl("set_permissions", "-p", host, "guest", ".*", ".*", ".*")
        try await broker.ctl("set_vhost_limits", "-p", host, #"{"max-connections": 0}"#)
        var full = try BrokerTesting.configuration(port: broker.port)
        full.virtualHost = host
        let limited = await opening(full)
        #expect(
            limited?.isRetryable == true && limited?.message.contains("connection limit") == true, "\(limited as Any)")
        try await broker.ctl("delete_vhost", host)
    }
}

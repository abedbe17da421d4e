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

    @Test func `Where nobody listens the connection is refused, and where nobody answers it times out`() async throws {
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
        plainPort.connectTimeout = .seconds(1)
        #expect([.tlsFailed, .timedOut].contains(await opening(plainPort)?.code))
    }
}

import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting

/// Shared parts of the tests against the real broker.
enum BrokerTesting {
    static let logger: Logger = {
        var logger = Logger(label: "test") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel =
            ProcessInfo.processInfo.environment["TEST_LOG_LEVEL"].flatMap { Logger.Level(rawValue: $0) } ?? .critical
        return logger
    }()

    static func configuration(port: Int, heartbeat: Duration = .seconds(20)) throws -> ConnectionConfiguration {
        var configuration = try ConnectionConfiguration(addresses: [BrokerAddress(host: "127.0.0.1", port: port)])
        configuration.heartbeat = heartbeat
        configuration.reconnectDelay = ReconnectDelay(base: .milliseconds(20), cap: .milliseconds(200))
        return configuration
    }

    static func connect(_ broker: BrokerNode) async throws -> Connection {
        try await Connection.open(configuration(port: broker.port), logger: logger)
    }

    /// A durable queue for one test; the broker deletes it once it is unused.
    static func queue(_ name: String = UniqueNames.make(), type: String = "quorum") -> Queue {
        Queue(name: name, arguments: ["x-queue-type": .string(type), "x-expires": 600_000])
    }

    static func message(_ text: String) -> Message { Message(body: Data(text.utf8)) }
}

extension Message {
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// Runs `body` and returns the error that it must throw.
func failure(_ body: () async throws -> Void) async -> RabbitMQError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? RabbitMQError
    }
}

extension Consumer {
    /// Reads until `count` deliveries have come.
    func take(_ count: Int) async throws -> [Delivery] {
        var taken: [Delivery] = []
        if count == 0 { return taken }
        for try await batch in self {
            taken += batch
            if taken.count >= count { break }
        }
        return taken
    }
}

import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

extension Deployment {
    /// Runs the body with the test's own connection to the broker.
    func withBroker<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
        let connection = try await Connection.open(
            ConnectionConfiguration(urls: [broker.url]), logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        do {
            let result = try await body(connection)
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Waits until every queue is empty and no consumer holds a message, then ends all programs, and checks again.
    /// - Parameter watched: the proxy through which the running programs are connected.
    func expectNothingLeftOnTheBroker(
        watched proxies: [AMQPFaultProxy], within limit: Duration = .seconds(300)
    ) async throws {
        let topology = try self.topology
        // The control log is a stream, which keeps messages that were read.
        let queues = (topology.shared + topology.lanes(of: .standard)).queues.map(\.name).filter {
            $0 != topology.control
        }
        try await withBroker { connection in
            let channel = try await connection.openChannel()
            func left() async throws -> [String] {
                var left = proxies.flatMap(\.unacknowledged).filter { $0.exchange != topology.control }
                    .map { "\($0.exchange) \($0.routingKey) is held" }
                for queue in queues {
                    let count = try await channel.messageCount(of: queue)
                    if count > 0 { left.append("\(queue): \(count)") }
                }
                return left
            }
            do {
                // Checked twice, because a message may be on its way from a queue to a consumer.
                try await eventually("the queues are empty", within: limit) {
                    guard try await left().isEmpty else { return false }
                    return try await left().isEmpty
                }
            } catch is DidNotHappen {
                Issue.record("the queues hold \(try await left())")
            }
            await stopAll()
            #expect(try await left() == [])
        }
    }
}

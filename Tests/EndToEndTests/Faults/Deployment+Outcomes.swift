import Foundation
import RabbitMQ
import Testing
import Uploads
import UploadsRabbitMQ

extension Deployment {
    /// The only outcome is a failure with this code, delivered once, whose message contains all these words.
    func expectFailure(_ code: UploadError.Code, saying words: String...) async throws {
        let told = try await waitForOutcomes(1)
        #expect(told.count == 1)
        #expect(told.first?["type"] as? String == "upload.failed")
        let data = try #require(told.first?["data"] as? [String: Any])
        let error = try #require(data["error"] as? [String: Any])
        #expect(error["code"] as? String == "\(code)", "\(error)")
        let message = try #require(error["message"] as? String)
        for word in words { #expect(message.contains(word), "'\(word)' in: \(message)") }
    }

    /// No job lies in a lane, and no record of a job is unread.
    func expectNothingPublished() async throws {
        let topology = try self.topology
        let left = try await withBroker { connection in
            let channel = try await connection.openChannel()
            var left: [String] = []
            for queue in topology.lanes(of: .standard).queues.map(\.name) + topology.notifiers {
                let count: Int
                do {
                    count = Int(try await channel.messageCount(of: queue))
                } catch let error as RabbitMQError where error.replyCode == 404 {
                    // No program declared the queues yet.
                    return left
                }
                if count > 0 { left.append("\(queue): \(count)") }
            }
            return left
        }
        #expect(left == [])
    }
}

import Foundation

/// A job as the API tells of it: what it is, why it is not running, and what happened.
struct JobStory: Decodable {
    struct Job: Decodable {
        struct Failure: Decodable {
            var at: Date
            var attempt: Int
            var code: String
            var message: String
        }

        var id: String
        var status: String
        var since: Date
        var queue: String
        var priority: String
        var source: String
        var target: String
        var contentType: String
        var size: Int64
        var sha256: String?
        var metadata: [String: String]
        var batch: String?
        var idempotencyKey: String?
        var enqueuedAt: Date
        var notBefore: Date?
        var expiresAt: Date?
        var round: Int
        var attempts: Int
        var attemptsMaximum: Int?
        var bytesSent: Int64
        var activeSeconds: Double
        var failures: [Failure]
        var progress: ListedAdvance?
    }

    struct Explanation: Decodable { var text: String }

    struct Delivery: Decodable {
        var delegate: String
        var status: String
        var attempts: Int
        var createdAt: Date
        var dueAt: Date?
        var deliveredAt: Date?
        var error: String?
    }

    var job: Job
    var explanation: Explanation
    var events: [ListedEvent]
    var deliveries: [Delivery]
}

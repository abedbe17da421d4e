import Foundation
import UploadsAPI

/// Objects of the API in which a test sets the fields that it is about.
extension API.Job {
    static func sample(
        id: String, status: String, queue: String, source: String, target: String, size: Int64, enqueuedAt: Date,
        waitingUntil: Date? = nil, reason: String? = nil, error: API.Error? = nil
    ) -> API.Job {
        API.Job(
            id: id, status: status, since: enqueuedAt, queue: queue, priority: "normal", source: source,
            destination: "photos", target: target, contentType: "image/jpeg", size: size, metadata: [:],
            enqueuedAt: enqueuedAt, round: 1, generation: 1, slice: 0, attempts: 0, bytesSent: 0, activeSeconds: 0,
            waitingUntil: waitingUntil, reason: reason, isPaused: false, isCancelling: false, failures: [], error: error
        )
    }
}

extension API.Queue {
    static func sample(
        name: String, isStopped: Bool? = nil, jobs: [String: Int], depth: [String: Int]? = nil, consumers: Int? = nil,
        oldestWaiting: Date? = nil, bytesLeft: Int64 = 0, rate: Double = 0, secondsLeft: Double? = nil
    ) -> API.Queue {
        API.Queue(
            name: name, isStopped: isStopped, jobs: jobs, depth: depth, consumers: consumers,
            oldestWaiting: oldestWaiting, bytesLeft: bytesLeft, completedPerMinute: rate, failedPerMinute: rate,
            bytesPerSecond: rate, heldUp: [], secondsLeft: secondsLeft)
    }
}

import Foundation

/// What of the API's answers is shown to people; `--json` passes on all there is.
struct ListedJob: Decodable {
    var id: String
    var status: String
    var queue: String
    var source: String
    var target: String
    var size: Int64
    var enqueuedAt: Date
    var waitingUntil: Date?
    var reason: String?
    var error: ListedError?
    var progress: ListedAdvance?
}

/// How far a running job is.
struct ListedAdvance: Decodable {
    var bytesDone: Int64
    var bytesPerSecond: Double

    func gauge(of size: Int64) -> Gauge {
        Gauge(
            fraction: size > 0 ? Double(bytesDone) / Double(size) : 1, bytesLeft: size - bytesDone,
            bytesPerSecond: bytesPerSecond)
    }
}

struct ListedError: Decodable {
    var code: String
    var message: String
}

struct ListedQueue: Decodable {
    var name: String
    var isStopped: Bool?
    var jobs: [String: Int]
    var depth: [String: Int]?
    var consumers: Int?
    var oldestWaiting: Date?
    var bytesLeft: Int64
    var bytesPerSecond: Double
    var completedPerMinute: Double
    var failedPerMinute: Double
    var secondsLeft: Double?
}

struct ListedLetter: Decodable {
    var id: Int64
    var at: Date
    var reason: String
    var bytes: Int64
    var status: String
    var isWhole: Bool
    var type: String?
    var contentType: String?
    var job: String?
    var headers: [String]
    var origin: String?
    var replayOf: Int64?
    var replayedAt: Date?
    var replayedBy: String?
    var body: String?
    var bodyEncoding: String?

    /// What there is to say besides the reason.
    func facts(_ time: LocalTime) -> [(name: String, value: String)] {
        let replayed = replayedAt.map { "\(time.text($0)) by \(replayedBy ?? "somebody")" }
        let all: [(String, String?)] = [
            ("type", type), ("content type", contentType), ("job", job), ("came from", origin),
            ("headers", headers.isEmpty ? nil : headers.joined(separator: ", ")),
            ("replay of", replayOf.map { "dead letter \($0), which came back as this one" }),
            ("published again", replayed), ("kept", isWhole ? nil : "only its beginning"),
            ("body", bodyEncoding == "hex" ? "is no text; it begins with" : nil),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}

/// A place in a serial line.
struct ListedPlace: Decodable {
    /// nil for what is on its way.
    var position: Int?
    var job: ListedJob
}

struct ListedDestination: Decodable {
    struct Circuit: Decodable {
        var state: String
        var until: Date?
        var error: String?
    }

    struct Live: Decodable {
        var workers: Int
        var failing: Int
        var held: Int
        var jobsInFlight: Int
        var bytesPerSecond: Double
    }

    struct Limits: Decodable {
        var jobs: Int?
        var parts: Int?
        var bytesPerSecond: Int64?
        var requestsPerSecond: Int?
    }

    var name: String
    var driver: String?
    var limits: Limits?
    var jobs: [String: Int]
    var bytesLeft: Int64
    var circuit: Circuit
    var limited: Int
    /// nil of a notifier that does not tell it, and where no worker tells anything.
    var live: Live?
}

/// How far a running job is, as the stream of events tells it.
struct ListedProgress: Decodable {
    var job: String
    var queue: String
    var destination: String
    var target: String
    var size: Int64
    var bytesDone: Int64
    var bytesPerSecond: Double
}

struct ListedDelivery: Decodable {
    var id: Int64
    var delegate: String
    var event: String
    var job: String
    var status: String
    var attempts: Int
    var createdAt: Date
    var dueAt: Date?
    var deliveredAt: Date?
    var error: String?
}

struct ListedAttempt: Decodable {
    var at: Date
    var seconds: Double
    var status: Int?
    var answer: String?
    var error: String?
}

struct ListedEvent: Decodable {
    struct Object: Decodable {
        var location: String
        var isOvertaken: Bool
        var isKept: Bool
        var verified: String?
    }

    /// `upload.completed` and so on.
    var type: String
    var time: Date
    var job: String
    var target: String
    var size: Int64
    var round: Int
    var waitingUntil: Date?
    var reason: String?
    var error: ListedError?
    var object: Object?
}

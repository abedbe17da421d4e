public import Foundation

/// One try to deliver, and what came of it.
public struct DeliveryAttempt: Hashable, Sendable {
    /// Bytes of an answer that are kept: 1 KiB.
    public static let answerBytesMaximum = 1024

    /// When it began.
    public var at: Date
    /// How long it took, in seconds.
    public var seconds: TimeInterval
    /// What the delegate answered: a webhook's HTTP status, a command's exit code; nil if it answered nothing.
    public var status: Int?
    /// The answer's first ``answerBytesMaximum`` bytes; bytes that are not UTF-8 are replaced.
    public var answer: String?
    /// Why it failed; nil if it was delivered.
    public var error: String?

    public init(at: Date, seconds: TimeInterval, answer response: ServerResponse? = nil, error: UploadError? = nil) {
        self.init(
            at: at, seconds: seconds, status: response?.status ?? error?.response?.status,
            answer: (response ?? error?.response)?.body.map {
                String(decoding: $0.utf8.prefix(Self.answerBytesMaximum), as: UTF8.self)
            }, error: error?.description)
    }

    public init(at: Date, seconds: TimeInterval, status: Int?, answer: String?, error: String?) {
        self.at = at
        self.seconds = seconds
        self.status = status
        self.answer = answer
        self.error = error
    }
}

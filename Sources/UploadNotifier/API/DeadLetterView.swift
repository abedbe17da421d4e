import Foundation
import Uploads

/// A message that could not be read or recorded, as the API shows it.
struct DeadLetterView: Encodable, Sendable {
    enum Status: String, CaseIterable, Encodable, Sendable { case waiting, replayed }
    enum BodyEncoding: String, Encodable, Sendable { case text, hex }

    /// Most characters of a body that are shown.
    static let bodyCountMaximum = 4096
    /// Most bytes that are shown of what is no text.
    private static let hexBytesMaximum = 256

    var id: Int64
    var at: Date
    var status: Status
    var reason: String
    /// As it came.
    var bytes: Int
    /// Whether all of it is kept.
    var isWhole: Bool
    var type: String?
    var contentType: String?
    /// The job that it says it is about.
    var job: JobID?
    /// Names of headers; what they say may be a secret.
    var headers: [String]
    /// The queue that it came in.
    var origin: String?
    /// The dead letter that was published again and came back as this one.
    var replayOf: Int64?
    var replayedAt: Date?
    var replayedBy: String?
    /// The beginning, as text, with the queries of URLs and inline bytes cut out.
    var body: String?
    var bodyEncoding: BodyEncoding?

    init(_ letter: UnreadableMessage, shown count: Int) {
        let envelope = letter.envelope
        id = letter.id
        at = letter.at
        status = letter.replayedAt == nil ? .waiting : .replayed
        reason = letter.reason
        bytes = letter.size
        isWhole = letter.isWhole
        type = envelope?.type.map { String($0.prefix(200)) }
        contentType = envelope?.contentType.map { String($0.prefix(200)) }
        job = envelope?.messageID.flatMap { JobID($0) }
        headers = envelope?.headers.keys.sorted() ?? []
        origin = envelope?.queue
        replayOf = envelope?.replayOf
        replayedAt = letter.replayedAt
        replayedBy = letter.replayedBy
        guard count > 0 else { return }
        let isText = String(data: letter.body, encoding: .utf8) != nil
        bodyEncoding = isText || !letter.isWhole ? .text : .hex
        body =
            bodyEncoding == .text
            ? Self.redact(letter.body, count)
            : letter.body.prefix(Self.hexBytesMaximum).map { String(format: "%02x", $0) }.joined(separator: " ")
    }

    /// Whatever it is, a pre-signed URL or an inline file in it is not shown.
    private static func redact(_ body: Data, _ count: Int) -> String {
        let text = String(decoding: body.prefix(16 * count), as: UTF8.self)
        return String(
            text.replacing(/(https?:\/\/[^\s"'?#]*)[?#][^\s"']*/) { "\($0.1)?…" }
                .replacing(/"data"\s*:\s*"[^"]*"?/) { _ in "\"data\":\"…\"" }
                .prefix(count))
    }
}

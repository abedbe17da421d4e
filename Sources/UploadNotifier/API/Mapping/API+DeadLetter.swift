import Foundation
import Uploads
import UploadsAPI

/// Whether a dead letter was published again.
enum DeadLetterStatus: String, CaseIterable, Sendable { case waiting, replayed }

extension API.DeadLetter {
    /// The most characters of a body that are shown.
    static let bodyCountMaximum = 4096
    /// The most bytes that are shown of a body that is no text.
    private static let hexBytesMaximum = 256

    /// - Parameter count: the most characters of the body; 0 leaves the body out.
    init(_ letter: UnreadableMessage, shown count: Int) {
        let envelope = letter.envelope
        let status: DeadLetterStatus = letter.replayedAt == nil ? .waiting : .replayed
        self.init(
            id: letter.id, at: letter.at, status: status.rawValue, reason: letter.reason, bytes: Int64(letter.size),
            isWhole: letter.isWhole, type: envelope?.type.map { String($0.prefix(200)) },
            contentType: envelope?.contentType.map { String($0.prefix(200)) },
            job: envelope?.messageID.flatMap { JobID($0) }?.rawValue, headers: envelope?.headers.keys.sorted() ?? [],
            origin: envelope?.queue, replayOf: envelope?.replayOf, replayedAt: letter.replayedAt,
            replayedBy: letter.replayedBy)
        guard count > 0 else { return }
        let isText = String(data: letter.body, encoding: .utf8) != nil || !letter.isWhole
        bodyEncoding = isText ? "text" : "hex"
        body =
            isText
            ? Self.redact(letter.body, count)
            : letter.body.prefix(Self.hexBytesMaximum).map { String(format: "%02x", $0) }.joined(separator: " ")
    }

    /// The beginning of any text without the queries of its URLs, one of which may be pre-signed, and without inline
    /// bytes.
    static func redact(_ body: Data, _ count: Int) -> String {
        let text = String(decoding: body.prefix(16 * count), as: UTF8.self)
        return String(
            text.replacing(/(https?:\/\/[^\s"'?#]*)[?#][^\s"']*/.matchingSemantics(.unicodeScalar)) { "\($0.1)?…" }
                .replacing(/"data"\s*:\s*"[^"]*"?/.matchingSemantics(.unicodeScalar)) { _ in "\"data\":\"…\"" }
                .prefix(count))
    }
}

import Crypto
import Foundation
import Uploads

/// The row of a message that cannot be read or recorded. Whatever a message contains, its row can be written: text and body are cut to a
/// length, and parts of the envelope that cannot be written are left out.
struct UnreadableRow {
    var reason: String
    /// Of the message and the reason. The same message with the same reason is kept once, until it is published again; if it comes back
    /// after that, it is kept as another row.
    var digest: Data
    var body: Data
    /// As JSON.
    var envelope: Data?

    init(_ letter: LedgerChanges.Letter) {
        reason = letter.reason.utf8Prefix(UnreadableMessage.reasonBytesMaximum)
        var digest = SHA256()
        digest.update(data: Data(reason.utf8))
        digest.update(data: [0])
        if let id = letter.envelope?.messageID { digest.update(data: Data("id \(id)\u{0}".utf8)) }
        if let first = letter.envelope?.replayOf { digest.update(data: Data("replay of \(first)\u{0}".utf8)) }
        digest.update(data: letter.body)
        self.digest = Data(digest.finalize())
        body = letter.body.prefix(UnreadableMessage.bodyBytesMaximum)
        envelope = letter.envelope.flatMap(Self.text)
    }

    private static func text(_ envelope: MessageEnvelope) -> Data? {
        if let text = try? WireJSON.encode(envelope) { return text }
        var bare = envelope
        bare.headers = [:]
        return try? WireJSON.encode(bare)
    }
}

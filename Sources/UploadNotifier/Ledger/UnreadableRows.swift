import Crypto
import Foundation
import GRDB
import Uploads

/// The rows of messages that cannot be read or recorded. Whatever a message contains, its row can be written: text and body are cut to
/// a length, and parts of the envelope that cannot be written are left out.
enum UnreadableRows {
    /// Keeps a message. The same message with the same reason is kept once, until it is published again; if it comes back after that, it
    /// is kept as another row.
    static func keep(
        _ body: Data, reason: String, _ envelope: MessageEnvelope?, at time: Date, in db: Database
    ) throws {
        let reason = reason.utf8Prefix(UnreadableMessage.reasonBytesMaximum)
        var digest = SHA256()
        digest.update(data: Data(reason.utf8))
        digest.update(data: [0])
        if let id = envelope?.messageID { digest.update(data: Data("id \(id)\u{0}".utf8)) }
        if let first = envelope?.replayOf { digest.update(data: Data("replay of \(first)\u{0}".utf8)) }
        digest.update(data: body)
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO unreadable (at, reason, digest, body, size, envelope) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            time.timeIntervalSince1970, reason, Data(digest.finalize()),
            body.prefix(UnreadableMessage.bodyBytesMaximum), body.count, envelope.flatMap(text),
        ])
    }

    private static func text(_ envelope: MessageEnvelope) -> Data? {
        if let text = try? WireJSON.encode(envelope) { return text }
        var bare = envelope
        bare.headers = [:]
        return try? WireJSON.encode(bare)
    }
}

import Crypto
import Foundation
import Uploads

/// How far a copy has come. The destination has it in its table `copying`, and writes it with each page.
struct CopyMark: Codable, Hashable, Sendable {
    /// The source, with the openings that it had when the copy began: a notifier that works with the source changes them.
    var ledger: UUID
    var opening: UUID
    var pending: UUID?
    /// A digest of the list of tables, which another version of this program may have changed.
    var layout: String
    /// The table that is being copied; empty before the first one.
    var table = ""
    /// The key of the table's last copied row; empty before the first one.
    private var key: [KeyPart] = []
    /// How many of the table's rows are copied.
    var copied = 0

    private struct KeyPart: Codable, Hashable {
        var number: Int64?
        var text: String?
    }

    init(_ source: LedgerIdentity) {
        (ledger, opening, pending) = (source.id, source.opening, source.pending)
        layout = Self.layout
    }

    private static let layout = SHA256.hash(data: Data("\(LedgerTable.all)".utf8)).prefix(8)
        .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()

    /// Whether a copy with this mark can go on with the source as it is now.
    func isAbout(_ source: LedgerIdentity) -> Bool {
        let now = CopyMark(source)
        return (ledger, opening, pending, layout) == (now.ledger, now.opening, now.pending, now.layout)
    }

    /// The key of the last copied row of a table; empty before its first row.
    func lastKey(of table: LedgerTable) -> LedgerRow {
        guard self.table == table.name else { return [] }
        return key.map { part in part.number.map(LedgerValue.integer) ?? .text(part.text ?? "") }
    }

    /// The mark after some more rows of a table.
    func after(_ rows: [LedgerRow], of table: LedgerTable) -> CopyMark {
        var mark = self
        if mark.table != table.name { (mark.table, mark.key, mark.copied) = (table.name, [], 0) }
        mark.copied += rows.count
        if let last = rows.last {
            mark.key = table.key(of: last).map { value in
                switch value {
                case .integer(let number): KeyPart(number: number)
                case .text(let text): KeyPart(text: text)
                default: KeyPart()
                }
            }
        }
        return mark
    }

    /// The text of the mark in the table.
    var text: String {
        get throws { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
    }

    /// - Throws: `misconfigured` if the text is no mark.
    static func read(_ text: String?, of destination: String) throws -> CopyMark {
        do {
            return try WireJSON.decode(CopyMark.self, from: Data((text ?? "").utf8))
        } catch {
            throw UploadError(
                .misconfigured,
                "another program has changed how far the copy in \(destination) has come (table 'copying'); name a new "
                    + "destination, and copy again", cause: error)
        }
    }
}

package import Foundation
import GRDB
package import Uploads

extension Ledger: NotifierLedger {
    package func identity() async throws(UploadError) -> LedgerIdentity {
        try await read { [path] db in try Self.identity(db, path: path) }
    }

    package var mayClaim: Bool { true }

    package var isAlone: Bool { true }

    package func notePending(_ opening: UUID) async throws(UploadError) {
        try await write { db in
            try db.execute(sql: "UPDATE identity SET pending = ?", arguments: [opening.text])
        }
    }

    package func noteOpened(_ opening: UUID) async throws(UploadError) {
        try await write { db in
            try db.execute(sql: "UPDATE identity SET opening = ?, pending = NULL", arguments: [opening.text])
        }
    }

    static func identity(_ db: Database, path: String) throws -> LedgerIdentity {
        let row = try Row.fetchOne(db, sql: "SELECT id, opening, pending FROM identity")
        let pending: String? = row?["pending"]
        guard let row, let id = UUID(uuidString: row["id"]), let opening = UUID(uuidString: row["opening"]),
            pending == nil || pending.flatMap(UUID.init(uuidString:)) != nil
        else {
            throw UploadError(
                .misconfigured,
                "another program has changed which ledger \(path) is (table 'identity'); put a backup in its place, or move it "
                    + "away, start the notifier with a new one, and let that take over with 'uploadctl ledger adopt'")
        }
        return LedgerIdentity(id: id, opening: opening, pending: pending.flatMap(UUID.init(uuidString:)))
    }
}

extension UUID {
    /// The UUID in the form in which it is stored and shown.
    var text: String { uuidString.lowercased() }
}

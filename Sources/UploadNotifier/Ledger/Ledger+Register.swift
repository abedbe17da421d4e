package import Foundation
import GRDB
package import Uploads

extension Ledger: DelegateRegister {
    package func registrations() async throws(UploadError) -> [DelegateRegistration] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM registered ORDER BY name").map { row in
                DelegateRegistration(
                    name: row["name"], definition: row["definition"],
                    createdAt: Date(timeIntervalSince1970: row["created"]),
                    changedAt: Date(timeIntervalSince1970: row["changed"]),
                    removedAt: (row["removed"] as Double?).map { Date(timeIntervalSince1970: $0) })
            }
        }
    }

    package func register(_ registration: DelegateRegistration) async throws(UploadError) {
        let times = (registration.createdAt.timeIntervalSince1970, registration.changedAt.timeIntervalSince1970)
        try await write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO registered (name, definition, created, changed) VALUES (?, ?, ?, ?)",
                arguments: [registration.name, registration.definition, times.0, times.1])
            guard db.changesCount == 1 else {
                throw UploadError(
                    .rejected,
                    "a delegate '\(registration.name)' is registered already; change it, or take another name")
            }
        }
    }

    package func redefine(_ name: String, _ definition: Data, at time: Date) async throws(UploadError) {
        try await write { db in
            try db.execute(
                sql: "UPDATE registered SET definition = ?, changed = ? WHERE name = ? AND removed IS NULL",
                arguments: [definition, time.timeIntervalSince1970, name])
            guard db.changesCount == 1 else { throw Self.unregistered(name) }
        }
    }

    package func unregister(
        _ name: String, discarding: Bool, at time: Date
    ) async throws(UploadError) -> Int {
        try await write { db in
            let isThere = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM registered WHERE name = ?)", arguments: [name])
            guard isThere == true else { throw Self.unregistered(name) }
            let status = try Self.status(of: name, in: db)
            let count = status.backlog + status.failed
            guard count == 0 || discarding else { return count }
            try db.execute(
                sql: "UPDATE registered SET removed = coalesce(removed, ?) WHERE name = ?",
                arguments: [time.timeIntervalSince1970, name])
            return count
        }
    }

    private static func unregistered(_ name: String) -> UploadError {
        UploadError(.rejected, "no delegate '\(name)' is registered")
    }
}

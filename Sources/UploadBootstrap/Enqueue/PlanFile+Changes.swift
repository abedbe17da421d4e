import Foundation
import GRDB
import Uploads

/// The objects at the destination, and the uploads that were compared with them.
extension PlanFile {
    /// An upload whose object has to be looked at.
    struct Candidate: Sendable {
        let position: Int
        /// When the file was changed last.
        let modifiedAt: Date
        let object: ListedObject
    }

    func add(_ objects: [ListedObject]) throws(UploadError) {
        try write { db in
            let statement = try db.cachedStatement(sql: "INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)")
            for object in objects {
                let (writer, enqueuedAt) = Self.columns(of: object.writer)
                try statement.execute(arguments: [
                    object.key, object.size, object.modifiedAt?.timeIntervalSince1970, object.md5, writer,
                    enqueuedAt?.timeIntervalSince1970,
                ])
            }
        }
    }

    func object(_ key: String) throws(UploadError) -> ListedObject? {
        try write { db in
            let sql = "SELECT key, size, modified, md5, writer, enqueued FROM objects WHERE key = ?"
            let statement = try db.cachedStatement(sql: sql)
            return try GRDB.Row.fetchOne(statement, arguments: [key]).map(Self.object)
        }
    }

    /// Records that the object of an upload has to be looked at.
    func addCandidate(_ position: Int, modifiedAt: Date, key: String) throws(UploadError) {
        try write { db in
            try db.cachedStatement(sql: "INSERT INTO candidates VALUES (?, ?, ?)")
                .execute(arguments: [position, modifiedAt.timeIntervalSince1970, key])
        }
    }

    func firstCandidate(from position: Int) throws(UploadError) -> Candidate? {
        try write { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT objects.key, size, objects.modified, md5, writer, enqueued, position, candidates.modified
                    FROM candidates JOIN objects ON objects.key = candidates.key
                    WHERE position >= ? ORDER BY position LIMIT 1
                    """)
            return try GRDB.Row.fetchOne(statement, arguments: [position]).map { row in
                Candidate(
                    position: row[6], modifiedAt: Date(timeIntervalSince1970: row[7]), object: Self.object(row))
            }
        }
    }

    /// Records that an upload is not needed.
    func addUnchanged(_ position: Int) throws(UploadError) {
        try write { db in
            try db.cachedStatement(sql: "INSERT INTO unchanged VALUES (?)").execute(arguments: [position])
        }
    }

    /// Removes the uploads of unchanged files; the positions of the others close up.
    /// - Returns: how many were removed.
    func removeUnchanged() throws(UploadError) -> Int {
        try changingPositions { db in
            try db.execute(sql: "DELETE FROM uploads WHERE position IN (SELECT position FROM unchanged)")
            let count = db.changesCount
            let positions = try Int.fetchCursor(db, sql: "SELECT position FROM uploads ORDER BY position")
            let statement = try db.cachedStatement(sql: "UPDATE uploads SET position = ? WHERE position = ?")
            var next = 0
            // The rows must not change under the cursor.
            var moves: [(Int, Int)] = []
            while let position = try positions.next() {
                if position != next { moves.append((next, position)) }
                next += 1
            }
            for (new, old) in moves { try statement.execute(arguments: [new, old]) }
            return count
        }
    }

    private static func columns(of writer: ListedObject.Writer) -> (Int, Date?) {
        switch writer {
        case .unlisted: (0, nil)
        case .unmarked: (1, nil)
        case .job(let enqueuedAt): (2, enqueuedAt)
        }
    }

    private static func object(_ row: GRDB.Row) -> ListedObject {
        let writer: Int = row[4]
        let enqueuedAt = (row[5] as Double?).map { Date(timeIntervalSince1970: $0) }
        return ListedObject(
            key: row[0], size: row[1], modifiedAt: (row[2] as Double?).map { Date(timeIntervalSince1970: $0) },
            md5: row[3], writer: writer == 0 ? .unlisted : enqueuedAt.map { .job(enqueuedAt: $0) } ?? .unmarked)
    }
}

package import Foundation
import GRDB
import Glibc
package import Uploads

extension Ledger {
    package func space() async throws(UploadError) -> LedgerSpace {
        let bytes = ["", "-wal", "-shm"].map { Self.size(of: path + $0) }.sumSaturating()
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return LedgerSpace(bytes: bytes) }
        let (free, isTooLarge) = Int64(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int64(clamping: status.f_frsize))
        return LedgerSpace(bytes: bytes, freeBytes: isTooLarge ? .max : free)
    }

    /// - Returns: 0 if there is no such file.
    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    package func oldestUndelivered() async throws(UploadError) -> [String: Date] {
        try await read { db in
            // The index has the numbers of the deliveries, so only the first delivery of each delegate is read itself.
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT delegate, created FROM deliveries WHERE id IN (
                        SELECT min(id) FROM deliveries INDEXED BY deliveries_due
                        WHERE delivered IS NULL AND given_up IS NULL GROUP BY delegate)
                    """)
            return Dictionary(
                rows.map { ($0["delegate"], Date(timeIntervalSince1970: $0["created"])) }, uniquingKeysWith: min)
        }
    }
}

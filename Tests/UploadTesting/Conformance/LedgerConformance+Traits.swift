import Foundation
import Uploads

extension LedgerConformance {
    /// What a backend may do in its own way. Rules ask it.
    package struct Traits: Sendable {
        /// Opens a backup that the ledger has written, as a ledger of its own; nil: the backend writes no files, because operators back
        /// up its database with the database's own tools. Such a ledger rejects every backup.
        package var openBackup: (@Sendable (_ path: String) async throws -> any Ports)?

        /// Whether the newest event of all stays when its job is forgotten, because the backend would give its number again.
        package var keepsNewestEvent: Bool

        package init(
            keepsNewestEvent: Bool, openBackup: (@Sendable (_ path: String) async throws -> any Ports)? = nil
        ) {
            self.keepsNewestEvent = keepsNewestEvent
            self.openBackup = openBackup
        }
    }
}

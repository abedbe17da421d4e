import Foundation
import Hummingbird
import Logging
import Synchronization
import Uploads
import UploadsAPI

extension NotifierAPI {
    /// Seconds that a backup may take: the file is read and written twice.
    static let backupSecondsMaximum = 3600.0
    /// Longest path of a file: `PATH_MAX` of Linux, less room for the name of the unfinished copy.
    static let pathBytesMaximum = 4000

    var ledgerRoutes: [APIRoute] {
        [
            APIRoute(.post, "/v1/ledger/backup", secondsMaximum: Self.backupSecondsMaximum, role: .administer) {
                [self] in
                .json(try await backup($0))
            }
        ]
    }

    private func backup(_ request: APIRequest) async throws -> API.Backup {
        guard case .string(let path) = try request.object(["path"])["path"], path.hasPrefix("/"), !path.hasSuffix("/"),
            path.utf8.count <= Self.pathBytesMaximum, !path.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            throw APIProblem.invalid(
                "'path' is an absolute path of a file on the notifier's host, such as /var/backups/ledger.sqlite")
        }
        guard isBackingUp.withLock({ Self.begin(&$0) }) else {
            throw APIProblem(.refused, "another backup is being written; wait until it is done")
        }
        defer { isBackingUp.withLock { $0 = false } }
        let begin = ContinuousClock.now
        // A ledger that can no longer be written is when its copy is needed most.
        let size = try await audited("ledger.backup", path, request, isRescue: true) { try await copy(to: path) }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        logger.notice(
            "ledger was backed up",
            metadata: [LogKey.path: "\(path)", LogKey.size: "\(size)", LogKey.seconds: "\(seconds)"])
        return API.Backup(path: path, size: size, seconds: (seconds * 1000).rounded() / 1000)
    }

    /// - Returns: whether no other backup was running.
    private static func begin(_ isBusy: inout Bool) -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    private func copy(to path: String) async throws -> Int64 {
        do {
            return try await keeper.backup(to: path)
        } catch {
            guard error.code == .misconfigured else { throw error }
            // The path is the caller's, not the notifier's configuration.
            throw APIProblem(.refused, error.message)
        }
    }
}

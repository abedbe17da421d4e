import Foundation
import Glibc
import LinuxFiles
import UploadSources
import Uploads

/// Uploads that are about to be accepted.
extension ClientStore {
    /// Records an upload that is about to be accepted; durable when this returns.
    func begin(_ upload: ClientUpload) async throws(UploadError) {
        try await run { () throws(SystemError) in
            try starting.replace(upload.id.rawValue, with: Self.encode(upload))
            try starting.synchronize()
        }
    }

    /// Records that an upload was accepted, unless its outcome is recorded already.
    ///
    /// Moving a file costs no flush. A power failure may undo the move: then the upload is found as one that is about
    /// to be accepted, and is accepted again as one that may have been accepted before.
    func accepted(_ id: JobID) async throws(UploadError) {
        _ = try await run { () throws(SystemError) in
            try starting.move(id.rawValue, to: id.rawValue, in: open)
        }
    }

    /// Removes the record of an upload that was not accepted.
    /// - Returns: false when the upload was accepted, or is not known.
    func withdraw(_ id: JobID) async throws(UploadError) -> Bool {
        try await run { () throws(SystemError) in
            guard try starting.status(of: id.rawValue) != nil else { return false }
            try starting.remove(id.rawValue)
            try starting.synchronize()
            return true
        }
    }

    /// The upload, if it is about to be accepted.
    func startingUpload(_ id: JobID) async throws(UploadError) -> ClientUpload? {
        try await run { () throws(SystemError) in try Self.read(id.rawValue, in: starting) }
    }

    /// All uploads that are about to be accepted.
    func startingUploads() async throws(UploadError) -> [ClientUpload] {
        try await run { () throws(SystemError) in try Self.all(in: starting) }
    }

    /// Whether the outcome of the upload's round is recorded, delivered or not.
    func hasEnded(_ upload: ClientUpload) async throws(UploadError) -> Bool {
        try await run { () throws(SystemError) in
            if try ended.status(of: Self.name(of: upload)) != nil { return true }
            return try told.status(of: Self.told(upload)) != nil
        }
    }

    /// Records outcomes of this program's uploads as delivered.
    /// - Parameter outcomes: by ``UploadOutcome/id``.
    func countAsTold(_ outcomes: Set<String>, startedBy token: String) async throws(UploadError) {
        guard !outcomes.isEmpty else { return }
        try await run { () throws(SystemError) in
            for outcome in outcomes {
                let name = String(outcome.dropLast(".ended".utf8.count))
                guard let upload = try Self.read(name, in: ended), upload.startedBy == token else { continue }
                _ = try ended.move(name, to: Self.told(upload), in: told)
            }
            try told.synchronize()
            try ended.synchronize()
        }
    }
}

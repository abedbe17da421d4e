import Foundation
import Glibc
import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea {
    /// The longest time that removal waits for another program's lock: 10 s.
    static let lockPatience = Duration.seconds(10)

    /// Removes a copy and its digests, under a lock of its own or under the lock of this process's claim. A missing copy is no error, nor
    /// is a reference to anything else than a copy of this area.
    /// - Throws: `invalidFile` when the copy exists and cannot be removed, or another program works on it.
    public func remove(_ reference: SourceReference) async throws(UploadError) {
        guard case .staged(let area, let name) = reference, area == id else { return }
        _ = try Self.checked(name)
        if claimed.withLock({ $0.contains(name) }) {
            try await Blocking.run { [self] () throws(UploadError) in try unlinkCopy(name) }
            return
        }
        let start = ContinuousClock.now
        while try await !Blocking.run({ [self] () throws(UploadError) in try removeIfFree(name) }) {
            guard start.duration(to: .now) < Self.lockPatience else {
                throw UploadError(
                    .invalidFile, "the staged copy \(name) cannot be removed: another worker holds its lock",
                    retry: .afterBackoff)
            }
            // Removal follows a confirmed end of the job: it is completed even when the task is cancelled.
            await Task { try? await Task.sleep(for: .milliseconds(50)) }.value
        }
    }

    /// Removes a copy, finished or not, that a dead program has left and that no job needs.
    package func removeRemains(of copy: String) async throws(UploadError) {
        _ = try Self.checked(copy)
        try await Blocking.run { [self] () throws(UploadError) in
            do throws(SystemError) {
                try directory.remove(StagedDraft.temporaryName(of: copy))
            } catch {
                throw UploadError(staging: error)
            }
        }
        try await remove(.staged(area: id, name: copy))
    }

    /// - Returns: false when another program has the lock.
    func removeIfFree(_ name: String) throws(UploadError) -> Bool {
        let locked: LockedCopy?
        do {
            switch try LockedCopy.lock(name, in: self) {
            case .busy: return false
            case .gone: locked = nil
            case .locked(let copy): locked = copy
            }
        } catch {
            throw UploadError(staging: error)
        }
        try unlinkCopy(name)
        locked?.file.unlock()
        return true
    }

    private func unlinkCopy(_ name: String) throws(UploadError) {
        do {
            try directory.remove(name)
            try directory.remove(name + BlockDigests.suffix)
        } catch {
            throw UploadError(
                .invalidFile,
                "the staged copy \(error.path) cannot be removed (\(error.reason)): check the rights to the staging area",
                retry: .afterBackoff, cause: error)
        }
    }
}

import Crypto
import Foundation
import Glibc
import LinuxFiles
import Uploads

/// Turns the unfinished file into the object: check, mark, flush, rename, flush the name. Every call blocks.
struct DirectoryCompletion: Sendable {
    let place: DirectoryPlace
    let record: DirectoryRecord

    private var job: UploadJob { place.target.job }
    private var directory: Directory { place.directory }

    func run(_ condition: WriteCondition) throws(UploadError) -> CompletedUpload {
        guard try isUnfinished() else { return try completedBefore() }
        let digests = try verify()
        // This comes before the mark is written: a mark in a side file would replace the mark of the existing file.
        guard try holds(condition) else { return try completedBefore() }
        do throws(SystemError) {
            try record.object.setMode(place.target.configuration.fileMode)
            try DirectoryMark(job, digests: digests).write(to: record.object, at: place)
            try record.object.synchronize()
        } catch {
            throw UploadError(directory: error, below: place.target.configuration.path)
        }
        guard try rename(condition) else { return try completedBefore() }
        do throws(SystemError) {
            try directory.synchronize()
            try directory.remove(place.target.recordName)
            var object = place.object(try record.object.status(), digests)
            object.isServerSideCopy = record.isCopy
            return CompletedUpload(object)
        } catch {
            throw UploadError(directory: error, below: place.target.configuration.path)
        }
    }

    /// Whether the file still has its unfinished name: no other worker has completed or discarded it.
    private func isUnfinished() throws(UploadError) -> Bool {
        do throws(SystemError) {
            guard let named = try directory.status(of: place.target.partName) else { return false }
            return try named.isSameFile(as: record.object.status())
        } catch {
            throw UploadError(directory: error, below: place.target.configuration.path)
        }
    }

    /// The unfinished file is gone, or its place is taken. That is success if this job's object is there.
    private func completedBefore() throws(UploadError) -> CompletedUpload {
        let (found, mark) = try place.found()
        if let found, let mark, mark.owner.belongs(to: job), found.size == job.size {
            try place.discard()
            return CompletedUpload(found)
        }
        guard found == nil else { throw conditionFailed() }
        throw UploadError(.sessionExpired, "the unfinished upload to \(place.path) is gone: it is begun anew")
    }

    /// Whether the file under the name meets the condition for now: only the rename decides.
    private func holds(_ condition: WriteCondition) throws(UploadError) -> Bool {
        do throws(SystemError) {
            switch condition {
            case .none: return true
            case .absent: return try directory.status(of: place.target.name) == nil
            case .unchanged(let etag):
                return try directory.status(of: place.target.name).map { DirectoryPlace.etag($0) } == etag
            }
        } catch {
            throw UploadError(directory: error, below: place.target.configuration.path)
        }
    }

    /// - Returns: false when there is a file that the condition forbids.
    private func rename(_ condition: WriteCondition) throws(UploadError) -> Bool {
        let (from, to) = (place.target.partName, place.target.name)
        do throws(SystemError) {
            switch condition {
            case .none:
                try directory.rename(from, to: to)
            case .absent:
                return try directory.renameWithoutReplacing(from, to: to)
            case .unchanged(let etag):
                // Not atomic: no rename compares first. A file written in between is replaced.
                guard try directory.status(of: to).map({ DirectoryPlace.etag($0) }) == etag else { return false }
                try directory.rename(from, to: to)
            }
            return true
        } catch {
            throw UploadError(directory: error, below: place.target.configuration.path)
        }
    }

    /// Checks the written file against the job and returns the digests that are certain. A wrong file is removed, so that the next
    /// attempt writes it anew.
    private func verify() throws(UploadError) -> Digests {
        guard record.isWhole else {
            throw UploadError(
                .invalidResponse, "\(place.path) cannot be completed: parts of it are missing", retry: .afterBackoff)
        }
        // Only a job without digests has parts that were copied.
        var digests = Digests(crc64nvme: record.wholeChecksum?.hexadecimal)
        if job.digests.crc64nvme == nil, job.digests.sha256 != nil {
            digests.sha256 = try readBack()
        } else if digests.confirms(job.digests) {
            digests.sha256 = job.digests.sha256
        }
        guard !digests.contradicts(job.digests) else {
            try place.discard()
            throw UploadError(
                .checksumMismatch,
                "the file written for \(place.path) is not the enqueued one: it is written anew; enqueue the file again if this recurs"
            )
        }
        return digests
    }

    /// Only for jobs without a CRC-64/NVME: the checksums of parts do not give the SHA-256 of the whole.
    private func readBack() throws(UploadError) -> String {
        var sha256 = SHA256()
        var offset: Int64 = 0
        while offset < job.size {
            let bytes: [UInt8]
            do {
                bytes = try record.object.read(1 << 20, at: offset)
            } catch {
                throw UploadError(directory: error, below: place.target.configuration.path)
            }
            guard !bytes.isEmpty else { break }
            sha256.update(data: bytes)
            offset += Int64(bytes.count)
        }
        return Hexadecimal.text(of: sha256.finalize())
    }

    private func conditionFailed() -> UploadError {
        UploadError(
            .preconditionFailed, "the file at \(place.path) is not as expected: look at it again")
    }
}

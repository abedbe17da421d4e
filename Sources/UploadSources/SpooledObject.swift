import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// A worker's own copy of an object that has neither an ETag nor a time. Nothing distinguishes such an object from a later version, so
/// only the bytes of one request are sure to be of one version. The copy is a file without a name, which leaves nothing behind, however
/// the worker ends.
struct SpooledObject: UploadSource {
    let size: Int64

    private let file: File
    private let check: RangeCheck

    /// Reads the object in one request.
    /// - Throws: `sourceChanged` when the object differs from the one that was examined first; `invalidFile` when the copy cannot be
    ///   written; the errors of reading.
    init(_ object: StoredObject, of job: UploadJob, at origin: any OriginDestination) async throws(UploadError) {
        let file = try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) {
                return try File.temporary(in: Self.directory)
            } catch {
                throw UploadError(spooling: error)
            }
        }
        let digests = try await Self.digests(of: object, of: job, at: origin, writingTo: file)
        self.file = file
        check = .ranges(ReadChecksums(of: job.size, expected: digests))
        size = job.size
    }

    /// `TMPDIR`, or `/var/tmp`, where files may be large: `/tmp` is often in memory.
    private static var directory: String {
        ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    }

    /// The size of the largest object that is copied, in bytes: each slice copies the object anew.
    static let bytesMaximum: Int64 = 1 << 30

    /// Reads the object once, for digests by which a later read is recognized.
    /// - Throws: `rejected` for an object that is too large to be copied; `sourceChanged` when it does not match its own digests.
    static func examine(
        _ object: StoredObject, of job: UploadJob, at origin: any OriginDestination
    ) async throws(UploadError) -> Digests {
        guard object.size ?? 0 <= bytesMaximum else {
            throw UploadError(
                .rejected,
                "\(job.destination.displayText) has neither an ETag nor the time of its last change, so that each worker has to copy it "
                    + "first, and with \(object.size ?? 0) bytes it is too large for that (\(bytesMaximum)): have its server tell one of them",
                retry: .never)
        }
        return try await digests(of: object, of: job, at: origin)
    }

    /// Reads the object in one request, and once more if the first answer says that it has changed: one of several servers may lag.
    /// - Throws: `sourceChanged` when the object does not match its digests.
    private static func digests(
        of object: StoredObject, of job: UploadJob, at origin: any OriginDestination, writingTo file: File? = nil
    ) async throws(UploadError) -> Digests {
        do throws(UploadError) {
            return try await digestsOnce(of: object, of: job, at: origin, writingTo: file)
        } catch {
            guard error.code == .sourceChanged else { throw error }
            try await ObjectSource.rest(for: job)
            return try await digestsOnce(of: object, of: job, at: origin, writingTo: file)
        }
    }

    private static func digestsOnce(
        of object: StoredObject, of job: UploadJob, at origin: any OriginDestination, writingTo file: File?
    ) async throws(UploadError) -> Digests {
        let size = object.size ?? 0
        let digester = Mutex(FileDigester(sha256: object.digests.sha256 != nil))
        if size > 0 {
            try await origin.read(object, of: job, 0..<size) { buffer async throws(UploadError) in
                let offset = digester.withLock { digester in
                    defer { buffer.withUnsafeBytes { digester.update($0) { _ in } } }
                    return digester.size
                }
                guard let file else { return }
                try await Blocking.run { () throws(UploadError) in
                    do throws(SystemError) {
                        try file.write(buffer, at: offset)
                    } catch {
                        throw UploadError(spooling: error)
                    }
                }
            }
        }
        let (count, digests) = digester.withLock { ($0.size, $0.finish { _ in }) }
        guard count == size, !digests.contradicts(object.digests) else {
            throw UploadError.sourceChanged(job.destination)
        }
        return digests
    }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        RangeReader(file: file, size: size, range: range.clamped(to: 0..<size), check: check) {}
    }

    /// Never throws: the job carries the copy, whatever object the origin has by now.
    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}

extension UploadError {
    fileprivate init(spooling error: SystemError) {
        let lack =
            error.lacksInodes ? "no inodes are left there; remove some files" : "\(error.reason); free some space there"
        self.init(
            .invalidFile,
            "an object without ETag and time is copied to \(error.path) first, which failed: \(lack), or "
                + "have TMPDIR name a directory that has it", retry: .afterBackoff, cause: error)
    }
}

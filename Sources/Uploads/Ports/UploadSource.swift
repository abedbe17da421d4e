/// An opened source of bytes: a staged copy, a file in place, inline bytes.
///
/// The engine opens one for a slice and closes it at the slice's end. Rule 9: epoch and lock. While it is open it holds
/// the lock of its kind, where that has one (``isLocked``), so that two slices never work on one staged copy. Reads of different ranges may run at the
/// same time.
public protocol UploadSource: Sendable {
    /// Bytes; what the job said, or the source would not have opened.
    var size: Int64 { get }

    /// Whether no other slice can open the same source while this one has it.
    var isLocked: Bool { get }

    /// Whether the bytes come over a network each time they are read, so that a caller that needs them twice should
    /// keep them.
    var isFetched: Bool { get }

    /// The object at a destination that the bytes are read from; nil for other sources. Its server may copy it without sending the bytes
    /// to the worker.
    var sourceObject: SourceObject? { get }

    /// Whether the bytes of a range are there, and for the last byte of the file all that is known of the whole. False only of a staged copy
    /// that its producer still makes.
    /// - Throws: `sourceIncomplete` when the producer stopped before the copy was complete; `invalidFile` when nothing can be read.
    func isAvailable(_ range: Range<Int64>) async throws(UploadError) -> Bool

    /// The bytes of a range of the file, in order, in buffers of about 1 MiB.
    ///
    /// A staged copy is checked on the way: the last buffer of a block is withheld and `sourceChanged` thrown when the
    /// block is not what was staged, so that a request with a declared length can never complete with wrong bytes. Each
    /// iterator reads from the beginning: a request that died on an idle connection is sent again.
    /// - Throws: `UploadError` only: `invalidFile`, `sourceChanged`.
    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable

    /// The file in which the bytes of a range lie, whose checksum (``checksum(of:)``) the caller announces to a server that compares them. A
    /// range that has to be checked is read for it. nil where the bytes have to pass through the program, because they are not in a file, or
    /// are paced.
    /// - Throws: as the elements of ``read(_:)``.
    func fileRange(_ range: Range<Int64>) async throws(UploadError) -> SourceFileRange?

    /// The checksum of a range as far as it is known without reading the range: from what was kept when the file was staged, or because
    /// the range was read before.
    /// - Throws: `invalidFile` when what was kept cannot be read.
    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME?

    /// Reads a range for nothing but its checksum; nil of a source that can do that no faster than ``read(_:)``.
    /// - Throws: as the elements of ``read(_:)``.
    func readChecksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME?

    /// The checksums of what was read so far, of a source that computes them only while it is read; nil of any other.
    var checksums: FileChecksums? { get }

    /// Takes up the checksums that earlier slices computed.
    func take(_ checksums: FileChecksums)

    /// Reads what no slice has read, so that the checksum of the whole is known.
    /// - Throws: `sourceChanged` when it is not the job's; the errors of reading.
    func readUnread() async throws(UploadError)

    /// Whether the source is still what was opened (size, modification time, name).
    /// Called before the completing call.
    /// - Throws: `sourceChanged`.
    func verifyUnchanged() async throws(UploadError)

    /// Releases the lock and the file. Called exactly once.
    func close() async
}

extension UploadSource {
    public var isFetched: Bool { false }

    public var isLocked: Bool { false }

    public var sourceObject: SourceObject? { nil }

    public func isAvailable(_ range: Range<Int64>) async throws(UploadError) -> Bool { true }

    public func fileRange(_ range: Range<Int64>) async throws(UploadError) -> SourceFileRange? { nil }

    public func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? { nil }

    public func readChecksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? { nil }

    public var checksums: FileChecksums? { nil }

    public func take(_ checksums: FileChecksums) {}

    public func readUnread() async throws(UploadError) {}

    /// The checksum of a range, for which the range is read only where it is not known, in the cheapest way that the source has.
    /// - Throws: as the elements of ``read(_:)``.
    public func checksumReading(_ range: Range<Int64>) async throws(UploadError) -> CRC64NVME {
        if let known = try await checksum(of: range) { return known }
        if let read = try await readChecksum(of: range) { return read }
        var checksum = CRC64NVME()
        do {
            for try await buffer in read(range) { checksum.update(buffer) }
        } catch {
            throw error as? UploadError ?? UploadError(.invalidFile, "the source cannot be read", cause: error)
        }
        return checksum
    }
}

/// Opens the sources of jobs and removes staged copies.
public protocol SourceProvider: Sendable {
    /// Looks at the job's source object (``SourceReference/object(_:seen:)``).
    /// - Throws: `accessDenied` where the configuration does not let jobs read; and the errors of the destination that
    ///   holds it.
    func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination

    /// The place that the job's source is read from over a network: at a destination, whose limits and circuit then count; nil for other
    /// sources.
    func origin(of job: UploadJob) -> DestinationReference?

    /// Opens and locks the job's source.
    /// - Throws: `invalidFile` (unreadable, outside the source roots), `sourceChanged` (size or time differ).
    func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim

    /// Removes the staged copy, if the job has one; for other kinds there is nothing to do, and a missing copy is no
    /// error. Called after the round's end is confirmed, before the delivery is acknowledged.
    /// - Throws: `invalidFile` when it is there and cannot be removed.
    func removeStagedCopy(of job: UploadJob) async throws(UploadError)
}

extension SourceProvider {
    public func origin(of job: UploadJob) -> DestinationReference? { nil }

    /// The default, for providers that serve no objects.
    public func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination {
        throw .objectsUnserved
    }
}

extension UploadError {
    /// The error of a provider that reads no objects.
    public static var objectsUnserved: UploadError {
        UploadError(
            .misconfigured, "objects at destinations cannot be carried from here; use a worker that serves them")
    }
}

/// The result of opening a job's source.
public enum SourceClaim: Sendable {
    /// Opened, and locked where its kind has a lock.
    case claimed(any UploadSource)
    /// Another slice works on it: try again in 10 s, not an attempt.
    case busy
    /// There is no such staged copy: never complete; probe, and fail if nothing is there.
    case gone
    /// This worker does not serve that staging area (yet): wait, not an attempt.
    case unknownArea(String)
    /// This worker does not know the destination that holds the source object (yet): wait, not an attempt.
    case unknownOrigin(String)
}

/// The result of looking at a job's source object.
public enum SourceExamination: Hashable, Sendable {
    /// The job with the facts about its source object, for all later slices.
    case found(UploadJob)
    /// The source object does not exist.
    case gone
    /// This worker does not know the destination that holds it (yet): wait, not an attempt.
    case unknownOrigin(String)
}

/// Buffers that are at hand, for any number of readings.
public struct SourceBuffers: AsyncSequence, Sendable {
    private let buffer: @Sendable (Int) -> (any SourceBuffer)?

    /// - Parameter buffer: given a number from 0 on; nil behind the last buffer.
    public init(_ buffer: @escaping @Sendable (_ number: Int) -> (any SourceBuffer)?) { self.buffer = buffer }

    public func makeAsyncIterator() -> Iterator { Iterator(buffer: buffer) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: @Sendable (Int) -> (any SourceBuffer)?
        private var number = 0

        fileprivate init(buffer: @escaping @Sendable (Int) -> (any SourceBuffer)?) { self.buffer = buffer }

        public mutating func next() async throws -> (any SourceBuffer)? {
            defer { number += 1 }
            return buffer(number)
        }
    }
}

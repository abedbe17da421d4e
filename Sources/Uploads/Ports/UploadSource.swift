/// An opened source of bytes: a staged copy, a file in place, inline bytes.
///
/// The engine opens one for a slice and closes it at the slice's end. While it is open it holds whatever lock its kind
/// knows, so that two slices never work on one staged copy. Reads of different ranges may run at the same time.
public protocol UploadSource: Sendable {
    /// Bytes; what the job said, or the source would not have opened.
    var size: Int64 { get }

    /// Whether the bytes come over a network each time they are read, so that who needs them twice had better keep them.
    var isFetched: Bool { get }

    /// The bytes of a range of the file, in order, in buffers of about 1 MiB.
    ///
    /// What was staged is checked on the way: the last buffer of a block is withheld and `sourceChanged` thrown when
    /// the block is not what was staged, so that a request with a declared length can never complete with wrong bytes.
    /// Each iterator reads from the beginning: a request that died on an idle connection is sent again.
    /// - Throws: `UploadError` only: `invalidFile`, `sourceChanged`.
    func read(_ range: Range<Int64>) -> any AsyncSequence<SourceBuffer, any Error> & Sendable

    /// The checksum of a range as far as it is known without reading the range: from what was kept when the file was staged.
    /// - Throws: `invalidFile` when what was kept cannot be read.
    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME?

    /// Whether the source is still what was opened (size, modification time, name).
    /// Called before the completing call.
    /// - Throws: `sourceChanged`.
    func verifyUnchanged() async throws(UploadError)

    /// Lets go of the lock and the file. Called exactly once.
    func close() async
}

extension UploadSource {
    public var isFetched: Bool { false }

    public func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? { nil }
}

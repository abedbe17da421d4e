public import Uploads

/// The facts about the bytes of a job: where they are, how many, and their digests.
public struct StagedFile: Hashable, Sendable {
    public let reference: SourceReference
    /// Bytes.
    public let size: Int64
    /// SHA-256 and CRC-64/NVME of the whole.
    public let digests: Digests
    /// What the bytes were taken of; nil where they were none of a file.
    public let original: FileIdentity?

    public init(reference: SourceReference, size: Int64, digests: Digests, original: FileIdentity? = nil) {
        self.reference = reference
        self.size = size
        self.digests = digests
        self.original = original
    }
}

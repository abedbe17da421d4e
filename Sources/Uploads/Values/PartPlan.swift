/// Pure arithmetic of parts within a destination's limits.
///
/// Part sizes are multiples of ``blockBytes`` wherever the limits allow it, so that a part can be checked against the
/// digests that were taken of every block when the file was staged.
public struct PartPlan: Hashable, Sendable {
    /// The block of which a staged copy knows the digest, and the usual part: 8 MiB.
    public static let blockBytes: Int64 = 8 << 20

    /// How many blocks a file has; the last one may be smaller.
    /// - Parameter size: 0 or more.
    public static func blockCount(of size: Int64) -> Int64 {
        size / blockBytes + (size % blockBytes == 0 ? 0 : 1)
    }

    /// The most parts of a file: each part that is under way or held takes memory.
    public static let countMaximum = 10_000_000

    /// Bytes of the file.
    public let size: Int64
    /// Bytes of every part but the last.
    public let partSize: Int64

    /// The plan of a file within limits.
    /// - Throws: `rejected` when the file is larger than the limits allow.
    public init(size: Int64, limits: PartLimits, preferredPartSize: Int64 = blockBytes) throws(UploadError) {
        precondition(size >= 0 && limits.partCountMaximum > 0 && limits.partBytesMaximum > 0 && preferredPartSize > 0)
        if limits.partCountMaximum == 1 {
            guard size <= limits.partBytesMaximum else { throw Self.tooLarge(size, limits) }
            self.init(size: size, partSize: max(size, 1))
            return
        }
        let count = Int64(limits.partCountMaximum)
        let needed = size / count + (size % count == 0 ? 0 : 1)
        var partSize = max(preferredPartSize, limits.partBytesMinimum)
        if needed > partSize {
            partSize = (needed + Self.blockBytes - 1) / Self.blockBytes * Self.blockBytes
        }
        partSize = min(partSize, limits.partBytesMaximum)
        guard needed <= partSize else { throw Self.tooLarge(size, limits) }
        self.init(size: size, partSize: partSize)
    }

    /// The plan that a session was begun with, as its state says. A state that would cut the file into more than
    /// ``countMaximum`` parts was written by another program: its parts are larger in the plan, and the session that it
    /// names is found not to fit.
    public init(size: Int64, partSize: Int64) {
        precondition(size >= 0 && partSize > 0)
        self.size = size
        self.partSize = max(partSize, size / Int64(Self.countMaximum) + 1)
    }

    /// At least 1: an empty file is one empty part.
    public var count: Int { size == 0 ? 1 : Int((size - 1) / partSize) + 1 }

    /// The part of this number, from 1 to ``count``.
    public func part(_ number: Int) -> Part {
        precondition((1...count).contains(number))
        let start = Int64(number - 1) * partSize
        return Part(number: number, range: start..<min(start + partSize, size))
    }

    public var parts: some Sequence<Part> { (1...count).lazy.map(part) }

    private static func tooLarge(_ size: Int64, _ limits: PartLimits) -> UploadError {
        UploadError(
            .rejected,
            """
            the file has \(size) bytes; this destination takes at most \(limits.partCountMaximum) parts of \
            \(limits.partBytesMaximum) bytes
            """)
    }
}

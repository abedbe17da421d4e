import Foundation
import Glibc
import LinuxFiles
import Uploads

/// The digests of a staged copy's blocks, so that each part can be checked when it is read, without reading the whole file again: in a
/// side file beside a copy of several blocks. The digest of the only block of a smaller copy is that of the whole file, which its job tells.
///
/// The file has 32 bytes of header (`LSBLOCK1`, the block's bytes, the file's bytes, 8 reserved; little-endian), then 8 bytes of
/// CRC-64/NVME for each block. Digests are read when they are needed, so that memory does not grow with the file. The header is written last:
/// it is the seal of a copy that workers saw before it was complete. Until then it is a hole of zeros.
struct BlockDigests: Sendable {
    /// What the side file's name adds to that of its copy.
    static let suffix = ".blocks"

    private static let magic = Array("LSBLOCK1".utf8)
    private static let headerBytes: Int64 = 32

    private enum Place {
        case file(File)
        /// All of them, in memory.
        case known([CRC64NVME])
    }

    private let place: Place

    /// - Parameter only: the digest of the only block.
    init(only: CRC64NVME) { place = .known([only]) }

    /// - Parameter known: the digests of all blocks: 8 bytes for each 8 MiB of the file are kept in memory.
    init(known: [CRC64NVME]) { place = .known(known) }

    /// Reads what ``encoded(_:of:)`` has written.
    /// - Returns: nil for anything else, or the digests of a file of another size.
    init?(decoding bytes: [UInt8], of size: Int64) {
        guard bytes.count == Self.encodedBytes(of: size),
            bytes.starts(with: Self.header(size: size))
        else { return nil }
        place = .known(
            stride(from: Int(Self.headerBytes), to: bytes.count, by: 8).map { Self.digest(bytes[$0..<$0 + 8]) })
    }

    /// The contents of a side file with its seal.
    static func encoded(_ digests: [CRC64NVME], of size: Int64) -> [UInt8] {
        header(size: size) + digests.flatMap { littleEndian($0.value) }
    }

    /// The bytes of the side file of a file of this size.
    static func encodedBytes(of size: Int64) -> Int { Int(headerBytes) + Int(PartPlan.blockCount(of: size)) * 8 }

    private init(_ file: File) { place = .file(file) }

    enum Found: Sendable {
        case missing
        /// It is not that of a file of this size.
        case unfit
        case unsealed(BlockDigests, Growth)
        case sealed(BlockDigests)
    }

    /// How far a copy is that has no seal yet.
    struct Growth: Sendable {
        /// The bytes of whole blocks, from the beginning of the file, that are copied.
        let bytes: Int64
        let changedAt: Date
        /// Whether the program that copies holds its lock, as far as that is seen here.
        let isLocked: Bool
    }

    /// Opens the side file of a copy.
    static func open(_ name: String, of size: Int64, in directory: Directory) throws(SystemError) -> Found {
        let file: File
        do {
            file = try directory.open(name, O_RDONLY | O_NOFOLLOW)
        } catch {
            if error.number == ENOENT { return .missing }
            throw error
        }
        if try isSealed(file, of: size) { return .sealed(BlockDigests(file)) }
        guard try file.read(Int(headerBytes), at: 0).allSatisfy({ $0 == 0 }) else { return .unfit }
        // The lock before the seal: a program that has let it go has written what it ever will.
        let isLocked = (try? file.isLockedElsewhere()) ?? false
        if try isSealed(file, of: size) { return .sealed(BlockDigests(file)) }
        let status = try file.status()
        let count = max(0, status.size - headerBytes) / 8
        let growth = Growth(bytes: count * PartPlan.blockBytes, changedAt: status.modifiedAt, isLocked: isLocked)
        return .unsealed(BlockDigests(file), growth)
    }

    private static func isSealed(_ file: File, of size: Int64) throws(SystemError) -> Bool {
        guard try file.read(Int(headerBytes), at: 0) == header(size: size) else { return false }
        return try file.status().size == Int64(encodedBytes(of: size))
    }

    /// The digest of a block; the first block is 0.
    func digest(of block: Int64) throws(SystemError) -> CRC64NVME? {
        let file: File
        switch place {
        case .known(let digests): return digests.indices.contains(Int(block)) ? digests[Int(block)] : nil
        case .file(let opened): file = opened
        }
        let bytes = try file.read(8, at: Self.headerBytes + block * 8)
        return bytes.count == 8 ? Self.digest(bytes) : nil
    }

    /// The digest of a range of whole blocks, combined from the digests of the blocks; nil when the range cuts a block.
    func digest(of range: Range<Int64>, in size: Int64) throws(SystemError) -> CRC64NVME? {
        let blockBytes = PartPlan.blockBytes
        guard range.lowerBound >= 0, range.upperBound <= size, range.lowerBound % blockBytes == 0,
            range.upperBound % blockBytes == 0 || range.upperBound == size
        else { return nil }
        let (first, count) = (range.lowerBound / blockBytes, PartPlan.blockCount(of: Int64(range.count)))
        let digests: [CRC64NVME]
        switch place {
        case .known(let all):
            guard first + count <= Int64(all.count) else { return nil }
            digests = Array(all[Int(first)..<Int(first + count)])
        case .file(let file):
            let bytes = try file.read(Int(count) * 8, at: Self.headerBytes + first * 8)
            guard bytes.count == count * 8 else { return nil }
            digests = stride(from: 0, to: bytes.count, by: 8).map { Self.digest(bytes[$0..<$0 + 8]) }
        }
        var whole = CRC64NVME()
        for (block, digest) in digests.enumerated() {
            whole.append(digest, count: min(blockBytes, Int64(range.count) - Int64(block) * blockBytes))
        }
        return whole
    }

    private static func digest(_ bytes: some BidirectionalCollection<UInt8>) -> CRC64NVME {
        CRC64NVME(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    static func write(_ digest: CRC64NVME, of block: Int64, to file: File) throws(SystemError) {
        try file.write(littleEndian(digest.value), at: headerBytes + block * 8)
    }

    /// Writes the side file of a copy whose digests are all known.
    static func write(_ digests: [CRC64NVME], of size: Int64, beside name: String, in directory: Directory)
        throws(SystemError)
    {
        let file = try directory.open(name + suffix, O_RDWR | O_CREAT | O_EXCL, mode: 0o640)
        try file.setMode(0o640)
        try file.write(encoded(digests, of: size), at: 0)
    }

    static func writeHeader(size: Int64, to file: File) throws(SystemError) {
        try file.write(header(size: size), at: 0)
    }

    private static func header(size: Int64) -> [UInt8] {
        magic + littleEndian(UInt64(PartPlan.blockBytes)) + littleEndian(UInt64(size)) + littleEndian(0)
    }

    private static func littleEndian(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}

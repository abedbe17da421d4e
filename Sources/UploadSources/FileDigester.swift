import Crypto
import Uploads

/// Computes the digests of a file in one pass: the CRC-64/NVME of every block, from these that of the whole, and on request the SHA-256
/// of the whole.
struct FileDigester {
    private var sha256: SHA256?
    private var whole = CRC64NVME()
    private var block = CRC64NVME()
    private var blockBytes: Int64 = 0
    private(set) var size: Int64 = 0

    /// - Parameter sha256: whether to compute the SHA-256, which takes as long as all the rest of a copy.
    init(sha256: Bool) {
        self.sha256 = sha256 ? SHA256() : nil
    }

    /// Takes the next bytes.
    /// - Parameter blockEnded: receives the checksum of each block that these bytes complete.
    mutating func update<Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, blockEnded: (CRC64NVME) throws(Failure) -> Void
    ) throws(Failure) {
        sha256?.update(bufferPointer: bytes)
        size += Int64(bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int(PartPlan.blockBytes - blockBytes))
            block.update(UnsafeRawBufferPointer(rebasing: piece))
            blockBytes += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
            if blockBytes == PartPlan.blockBytes { try endBlock(blockEnded) }
        }
    }

    /// Takes the checksum of the next block, where the SHA-256 is not computed.
    mutating func append(_ checksum: CRC64NVME, count: Int64) {
        whole.append(checksum, count: count)
        size += count
    }

    /// - Parameter blockEnded: receives the checksum of a last, smaller block.
    mutating func finish<Failure: Error>(
        blockEnded: (CRC64NVME) throws(Failure) -> Void
    ) throws(Failure) -> Digests {
        if blockBytes > 0 { try endBlock(blockEnded) }
        return Digests(sha256: sha256.map { Hexadecimal.text(of: $0.finalize()) }, crc64nvme: whole.hexadecimal)
    }

    private mutating func endBlock<Failure: Error>(
        _ blockEnded: (CRC64NVME) throws(Failure) -> Void
    ) throws(Failure) {
        whole.append(block, count: blockBytes)
        try blockEnded(block)
        block = CRC64NVME()
        blockBytes = 0
    }
}

import Crypto
import LinuxFiles
import Uploads

/// Against what the bytes of a source are checked while they are read.
enum RangeCheck: Sendable {
    /// Every block that a range touches, read to its ends if need be.
    case blocks(BlockDigests)
    /// The whole file, when it is read as a whole.
    case whole(Digests)
}

/// The checksum of what has been read of a block or of a whole file.
struct RunningDigest: Sendable {
    private var crc = CRC64NVME()
    private var sha256: SHA256?

    /// - Parameter digests: those that are to be compared; the cheaper one is taken.
    init(comparing digests: Digests? = nil) {
        if let digests, digests.crc64nvme == nil, digests.sha256 != nil { sha256 = SHA256() }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if sha256 != nil { sha256?.update(bufferPointer: bytes) } else { crc.update(bytes) }
    }

    var checksum: CRC64NVME { crc }

    var digests: Digests {
        guard let sha256 else { return Digests(crc64nvme: crc.hexadecimal) }
        return Digests(sha256: Hexadecimal.text(of: sha256.finalize()))
    }
}

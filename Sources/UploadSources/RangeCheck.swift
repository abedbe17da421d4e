import Crypto
import LinuxFiles
import Uploads

/// The digests against which the bytes of a source are checked while they are read.
enum RangeCheck: Sendable {
    /// Checks every block that a range touches, and reads the rest of such a block if necessary.
    case blocks(BlockDigests)
    /// Checks the whole file, if one range covers it.
    case whole(Digests)
}

/// The checksum of the bytes that have been read of a block or of a whole file.
enum RunningDigest: Sendable {
    /// There is nothing to compare with, so no checksum is computed.
    case none
    case crc64nvme(CRC64NVME)
    case sha256(SHA256)

    /// - Parameter digests: the digests to compare with; of several the cheaper one is computed.
    init(comparing digests: Digests) {
        if digests.crc64nvme != nil {
            self = .crc64nvme(CRC64NVME())
        } else if digests.sha256 != nil {
            self = .sha256(SHA256())
        } else {
            self = .none
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch self {
        case .none: break
        case .crc64nvme(var digest):
            digest.update(bytes)
            self = .crc64nvme(digest)
        case .sha256(var digest):
            digest.update(bufferPointer: bytes)
            self = .sha256(digest)
        }
    }

    var digests: Digests {
        switch self {
        case .none: Digests()
        case .crc64nvme(let digest): Digests(crc64nvme: digest.hexadecimal)
        case .sha256(let digest): Digests(sha256: Hexadecimal.text(of: digest.finalize()))
        }
    }
}

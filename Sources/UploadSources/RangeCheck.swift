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
enum RunningDigest: Sendable {
    /// Nothing to compare with: the time is saved.
    case none
    case crc64nvme(CRC64NVME)
    case sha256(SHA256)

    /// - Parameter digests: those that are to be compared; of several the cheaper one is taken.
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

import Crypto
import LinuxFiles
import Uploads

/// What the bytes of a source are checked against while they are read.
enum RangeCheck: Sendable {
    /// Checks every block that a range touches, and reads the rest of such a block if necessary.
    case blocks(BlockDigests)
    /// Computes the checksum of each range that is read to its end.
    case ranges(ReadChecksums)
}

/// The checksums of the bytes that have been read of a block, a range or a whole file.
struct RunningDigest: Sendable {
    private(set) var crc64nvme: CRC64NVME?
    private var sha256: SHA256?

    /// - Parameters: which to compute.
    init(crc64nvme: Bool = false, sha256: Bool = false) {
        if crc64nvme { self.crc64nvme = CRC64NVME() }
        if sha256 { self.sha256 = SHA256() }
    }

    /// - Parameter digests: the digests to compare with; of several the cheaper one is computed.
    init(comparing digests: Digests) {
        self.init(crc64nvme: digests.crc64nvme != nil, sha256: digests.crc64nvme == nil && digests.sha256 != nil)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        crc64nvme?.update(bytes)
        sha256?.update(bufferPointer: bytes)
    }

    var digests: Digests {
        Digests(
            sha256: sha256.map { Hexadecimal.text(of: $0.finalize()) }, crc64nvme: crc64nvme?.hexadecimal)
    }
}

import Synchronization
import Uploads

/// The checksums of what was read of a file that was not read before it was opened. That of the whole is compared with the digests that
/// its job has.
final class ReadChecksums: Sendable {
    /// The last ranges whose own checksums are kept beside those of the stretches: more than are read at once.
    private static let rangesMaximum = 64

    private let expected: Digests
    private let size: Int64
    private let state = Mutex(State())

    private struct State {
        var file = FileChecksums()
        var ranges: [FileChecksums.Stretch] = []
    }

    /// - Parameter expected: the digests of the job.
    init(of size: Int64, expected: Digests) {
        self.size = size
        self.expected = expected
    }

    var file: FileChecksums { state.withLock { $0.file } }

    func take(_ checksums: FileChecksums) {
        state.withLock { state in
            for stretch in checksums.stretches where stretch.range.upperBound <= size {
                state.file.insert(stretch.checksum, of: stretch.range)
            }
        }
    }

    func checksum(of range: Range<Int64>) -> CRC64NVME? {
        state.withLock { state in
            state.ranges.last { $0.range == range }?.checksum ?? state.file.checksum(of: range)
        }
    }

    /// What is to be computed while a range is read.
    func digest(for range: Range<Int64>) -> RunningDigest {
        let needsSHA256 = range == 0..<size && expected.crc64nvme == nil && expected.sha256 != nil
        return RunningDigest(crc64nvme: checksum(of: range) == nil, sha256: needsSHA256)
    }

    /// Takes in what was computed while a range was read.
    /// - Returns: whether it fits the job's digests.
    func note(_ digest: RunningDigest, of range: Range<Int64>) -> Bool {
        (digest.crc64nvme.map { note($0, of: range) } ?? true)
            && !digest.digests.contradicts(Digests(sha256: expected.sha256))
    }

    /// Takes in the checksum of a range that was read.
    /// - Returns: false when the same bytes had another one before, or the whole has another one than its job says.
    func note(_ checksum: CRC64NVME, of range: Range<Int64>) -> Bool {
        state.withLock { state in
            if let known = state.ranges.last(where: { $0.range == range }) { return known.checksum == checksum }
            if state.ranges.count == Self.rangesMaximum { state.ranges.removeFirst() }
            state.ranges.append(FileChecksums.Stretch(range: range, checksum: checksum))
            state.file.insert(checksum, of: range)
            guard let whole = state.file.checksum(of: 0..<size) else { return true }
            return !Digests(crc64nvme: whole.hexadecimal).contradicts(expected)
        }
    }
}

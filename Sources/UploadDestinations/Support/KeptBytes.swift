import Synchronization
import Uploads

/// Limits the fetched bytes that all jobs of a destination keep in memory at once.
final class KeptBytes: Sendable {
    /// Largest part that is kept, in bytes.
    static let partBytesMaximum: Int64 = 16 << 20
    static let bytesMaximum: Int64 = 64 << 20

    private let taken = Mutex<Int64>(0)

    /// - Returns: nil for a part that is too large, or when too many bytes are kept already.
    func share(of bytes: Int64) -> Share? {
        guard bytes <= Self.partBytesMaximum else { return nil }
        let isTaken = taken.withLock { taken in
            guard taken + bytes <= Self.bytesMaximum else { return false }
            taken += bytes
            return true
        }
        return isTaken ? Share(bytes, of: self) : nil
    }

    /// A share of the bytes, returned when the last reference to it goes.
    final class Share: Sendable {
        private let bytes: Int64
        private let whole: KeptBytes

        fileprivate init(_ bytes: Int64, of whole: KeptBytes) {
            self.bytes = bytes
            self.whole = whole
        }

        deinit { whole.taken.withLock { $0 -= bytes } }
    }
}

import Synchronization

/// Shares the memory for reading among all ranges that are being read: few ranges get buffers of 1 MiB, many get smaller ones.
enum ReadBudget {
    /// The bytes of all ranges' buffers together, one buffer for each range.
    static let bytes = 4 << 20
    static let bufferBytesMinimum = 64 << 10
    static let bufferBytesMaximum = 1 << 20

    private static let readers = Atomic<Int>(0)

    /// Counts one reader, as long as the reader of a range holds it.
    final class Seat: Sendable {
        init() { readers.add(1, ordering: .relaxed) }
        deinit { readers.subtract(1, ordering: .relaxed) }
    }

    /// Bytes that a range may read at once now.
    static var bufferBytes: Int64 { bufferBytes(for: readers.load(ordering: .relaxed)) }

    /// A power of two, so that buffers end where blocks do.
    static func bufferBytes(for readers: Int) -> Int64 {
        let share = max(bytes / max(readers, 1), bufferBytesMinimum)
        return Int64(min(1 << (Int.bitWidth - 1 - share.leadingZeroBitCount), bufferBytesMaximum))
    }
}

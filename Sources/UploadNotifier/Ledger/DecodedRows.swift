import Foundation
import Synchronization

/// Remembers the values of rows that were written lately, so that the next message about a job, or the delivery of an outcome, does not
/// decode them again: without that, delivering takes twice the processor time (measured: the page Performance).
///
/// A remembered value counts only for the very bytes that it was written as. A transaction that was rolled back, or another program that
/// changed the row, leaves other bytes there, which are decoded.
final class DecodedRows<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A class, because the tables of entries grow by copying.
    private final class Entry: Sendable {
        let bytes: Data
        let value: Value

        init(_ bytes: Data, _ value: Value) { (self.bytes, self.value) = (bytes, value) }
    }

    /// Rows by their keys in two generations: when the young one is full it becomes the old one, whose rows are forgotten.
    private struct Entries {
        var young: [Key: Entry] = [:]
        var youngBytes = 0
        var old: [Key: Entry] = [:]
    }

    private let generationBytesMaximum: Int
    private let entries = Mutex(Entries())

    /// - Parameter bytesMaximum: the most bytes of rows that are remembered.
    init(bytesMaximum: Int) { generationBytesMaximum = bytesMaximum / 2 }

    /// Remembers a value that is written.
    func note(_ value: Value, as bytes: Data, of key: Key) {
        guard bytes.count <= generationBytesMaximum / 16 else { return }
        entries.withLock { entries in
            entries.youngBytes += bytes.count
            if entries.youngBytes > generationBytesMaximum {
                entries.old = entries.young
                entries.young = [:]
                entries.youngBytes = bytes.count
            }
            entries.young[key] = Entry(bytes, value)
        }
    }

    /// - Returns: nil if the value of these bytes is not remembered.
    func value(of key: Key, _ bytes: Data) -> Value? {
        let entry = entries.withLock { $0.young[key] ?? $0.old[key] }
        guard let entry, entry.bytes == bytes else { return nil }
        return entry.value
    }
}

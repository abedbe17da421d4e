import Foundation
import LinuxFiles
import Uploads

/// Reads and checks a range of a file in buffers of at most 1 MiB (``ReadBudget``), on the pool, one buffer ahead of its consumer.
struct RangeReader: AsyncSequence, Sendable {
    typealias Element = any SourceBuffer

    let file: File
    let size: Int64
    let range: Range<Int64>
    let check: RangeCheck
    /// Whether the bytes that are read here may be older than what another host has written: then they are read once more later.
    var mayBeStale = false
    /// Throws when the file has changed since it was opened.
    let verify: @Sendable () throws(UploadError) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(reader: self) }

    struct Iterator: AsyncIteratorProtocol {
        private var ahead: Task<Result<RangeCursor.Step, UploadError>, Never>?
        private var cursor: RangeCursor
        private let seat = ReadBudget.Seat()

        init(reader: RangeReader) {
            cursor = RangeCursor(reader)
        }

        mutating func next() async throws -> (any SourceBuffer)? {
            if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            guard !cursor.isAtEnd else { return nil }
            let step: RangeCursor.Step
            if let ahead {
                step = try await ahead.value.get()
            } else {
                step = try await Self.step(cursor).get()
            }
            ahead = nil
            guard let buffer = step.buffer else { return nil }
            let next = step.next
            cursor = next
            if !next.isAtEnd { ahead = Task { await Self.step(next) } }
            return buffer
        }

        private static func step(_ cursor: RangeCursor) async -> Result<RangeCursor.Step, UploadError> {
            await Blocking.run { Result { () throws(UploadError) in try cursor.advanced() } }
        }
    }
}

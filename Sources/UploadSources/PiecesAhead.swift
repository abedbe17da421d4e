import Synchronization
import Uploads

/// Reads a long range of an object in pieces, several at the same time, and hands them out in order. One connection to a distant server is
/// slow, however fast the line is, and a destination that takes one stream would wait for it.
///
/// The first piece is read alone: it shows whether the server sends ranges.
struct PiecesAhead: Sendable {
    /// Bytes of a piece.
    static let pieceBytes: Int64 = 4 << 20
    /// Pieces that are read or kept at the same time.
    static let piecesMaximum = 4
    /// The shortest range that is read in this way, in bytes: parts of an upload are shorter, and several are sent at once anyway.
    static let rangeBytesMinimum: Int64 = 32 << 20

    private struct Piece: Sendable {
        let buffers: [[UInt8]]
        let isRange: Bool
    }

    private let range: ObjectRange
    private let readings = Readings()
    private let seat: Seat
    private var ready: ArraySlice<[UInt8]> = []
    /// The offset of the first byte of which no reading has begun.
    private var begun: Int64
    /// Set where the server sends no ranges.
    private var isInOrder = false

    /// - Returns: nil for a range that is to be read in order: a short one, or one too many at the same time.
    init?(_ range: ObjectRange) {
        guard Int64(range.range.count) >= Self.rangeBytesMinimum, let seat = Seat.take() else { return nil }
        self.range = range
        self.seat = seat
        begun = range.range.lowerBound
        begin()
    }

    /// What is left to be read in order, once ``next()`` has returned nil; nil at the end of the range.
    var rest: ObjectRange? {
        begun < range.range.upperBound
            ? ObjectRange(range: begun..<range.range.upperBound, source: range.source) : nil
    }

    /// - Returns: nil behind the last buffer of the last piece that was begun.
    mutating func next() async throws -> [UInt8]? {
        while true {
            if let buffer = ready.popFirst() { return buffer }
            guard let first = readings.first else { return nil }
            let piece = try await withTaskCancellationHandler {
                try await first.value
            } onCancel: {
                first.cancel()
            }
            readings.removeFirst()
            ready = piece.buffers[...]
            if !piece.isRange { isInOrder = true }
            while !isInOrder, begun < range.range.upperBound, readings.count < Self.piecesMaximum - 1 { begin() }
        }
    }

    private mutating func begin() {
        let piece = begun..<min(begun + Self.pieceBytes, range.range.upperBound)
        begun = piece.upperBound
        readings.append(Task { [source = range.source] in try await Self.read(piece, of: source) })
    }

    private static func read(_ range: Range<Int64>, of source: ObjectSource) async throws(UploadError) -> Piece {
        let kept = Mutex((buffers: [[UInt8]](), count: Int64(0)))
        let isRange: Bool
        do throws(UploadError) {
            isRange = try await source.origin.read(source.object, of: source.job, range) {
                buffer async throws(UploadError) in
                let count = kept.withLock { kept in
                    kept.buffers.append(buffer)
                    kept.count += Int64(buffer.count)
                    return kept.count
                }
                guard count <= range.count else { throw UploadError.sourceChanged(source.job.destination) }
                if Task.isCancelled { throw UploadError(.interrupted, "reading was interrupted") }
            }
        } catch {
            throw await source.judged(error)
        }
        let (buffers, count) = kept.withLock { $0 }
        guard count == range.count else {
            throw UploadError(
                .networkFailure,
                "\(source.job.destination.displayText) sent \(count) of \(range.count) bytes: check the network and its server"
            )
        }
        return Piece(buffers: buffers, isRange: isRange)
    }

    /// The readings under way and done, in order; they end with the value.
    private final class Readings: Sendable {
        private let tasks = Mutex<[Task<Piece, any Error>]>([])

        var first: Task<Piece, any Error>? { tasks.withLock { $0.first } }
        var count: Int { tasks.withLock { $0.count } }
        func append(_ task: Task<Piece, any Error>) { tasks.withLock { $0.append(task) } }
        func removeFirst() { tasks.withLock { _ = $0.removeFirst() } }

        deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }
    }

    /// One of the few readings of the process that may keep pieces, as long as it exists.
    private final class Seat: Sendable {
        /// With 4 pieces of 4 MiB each, 64 MiB.
        private static let most = 4
        private static let taken = Mutex(0)

        private init() {}

        static func take() -> Seat? {
            taken.withLock { taken in
                guard taken < most else { return nil }
                taken += 1
                return Seat()
            }
        }

        deinit { Self.taken.withLock { $0 -= 1 } }
    }
}

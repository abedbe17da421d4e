/// Ended spans that wait for their export: at most a number of them, so that a collector that is away costs no more memory.
struct SpanQueue {
    private var spans: [RecordedSpan.Record] = []
    private let maximum: Int
    private let batchMaximum: Int
    /// The spans that found no place, or that the collector has not taken, since the last call of ``takeDropped()``.
    private var dropped = 0

    init(maximum: Int, batchMaximum: Int) {
        self.maximum = maximum
        self.batchMaximum = batchMaximum
    }

    var count: Int { spans.count }
    /// Whether a whole batch waits.
    var hasBatch: Bool { spans.count >= batchMaximum }

    mutating func append(_ span: RecordedSpan.Record) {
        guard spans.count < maximum else { return drop(1) }
        spans.append(span)
    }

    /// The oldest spans.
    mutating func takeBatch() -> [RecordedSpan.Record] {
        defer { spans.removeFirst(min(batchMaximum, spans.count)) }
        return Array(spans.prefix(batchMaximum))
    }

    /// Takes a batch back that could not be sent, before all later spans.
    mutating func putBack(_ batch: [RecordedSpan.Record]) {
        let room = max(0, maximum - spans.count)
        drop(max(0, batch.count - room))
        spans.insert(contentsOf: batch.suffix(room), at: 0)
    }

    mutating func drop(_ count: Int) { dropped += count }

    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}

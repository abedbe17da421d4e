/// Which events under one address leave in one message.
///
/// There is no timer: an event leaves at once while no message under its address waits for a confirm; the events that become ready meanwhile
/// leave together behind it, or as soon as they fill a message. So no event alone is delayed, and a broker that confirms slowly gets larger
/// messages instead of fewer events a second.
struct EventBatches<Entry> {
    /// Events in one message.
    static var countMaximum: Int { 64 }
    /// Bytes of their texts. A larger event travels alone.
    static var bytesMaximum: Int { 262_144 }

    private var waiting: [(entry: Entry, bytes: Int)] = []
    private var waitingBytes = 0
    /// Messages that wait for their confirms.
    private(set) var underWay = 0

    var waitingCount: Int { waiting.count }
    var isIdle: Bool { underWay == 0 && waiting.isEmpty }

    /// - Returns: the events that leave now.
    mutating func add(_ entry: Entry, bytes: Int) -> [Entry] {
        waiting.append((entry, bytes))
        waitingBytes += bytes
        let isFull = waiting.count >= Self.countMaximum || waitingBytes >= Self.bytesMaximum
        return underWay == 0 || isFull ? take() : []
    }

    /// A message was confirmed, or given up.
    /// - Returns: the events that leave now.
    mutating func ended() -> [Entry] {
        underWay -= 1
        return underWay == 0 ? take() : []
    }

    /// As many of the waiting events as one message carries, the first of them whatever its size.
    private mutating func take() -> [Entry] {
        var bytes = 0
        var count = 0
        for (_, size) in waiting.prefix(Self.countMaximum) {
            guard count == 0 || bytes + size <= Self.bytesMaximum else { break }
            bytes += size
            count += 1
        }
        guard count > 0 else { return [] }
        underWay += 1
        waitingBytes -= bytes
        defer { waiting.removeFirst(count) }
        return waiting.prefix(count).map(\.entry)
    }
}

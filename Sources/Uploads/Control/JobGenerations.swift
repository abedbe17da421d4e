/// A generation for each of many jobs: 24 bytes for each, and no text.
///
/// The control log may name half a million jobs, and programs pass its view around as a value. So the jobs are kept in
/// 256 drawers, by the last byte of their ids: a change to a copy copies one drawer, and growing moves one drawer at a
/// time.
public struct JobGenerations: Hashable, Sendable {
    private struct Bits: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private static let noDrawers = [[Bits: Int]](repeating: [:], count: 256)

    private var drawers = noDrawers
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    public subscript(job: JobID) -> Int? {
        get {
            let key = Self.key(job)
            return drawers[Self.drawer(key)][key]
        }
        set { change(job) { _ in newValue } }
    }

    /// Notes the higher of the known generation and this one.
    mutating func raise(_ job: JobID, to generation: Int) { change(job) { Swift.max($0 ?? generation, generation) } }

    /// Takes a job out unless its known generation is a later one.
    mutating func remove(_ job: JobID, upTo generation: Int) {
        change(job) { known in known.flatMap { $0 <= generation ? nil : $0 } }
    }

    private mutating func change(_ job: JobID, _ body: (Int?) -> Int?) {
        let key = Self.key(job)
        let drawer = Self.drawer(key)
        let old = drawers[drawer][key]
        let new = body(old)
        // A drawer that is shared with a copy is left alone where nothing changes.
        guard new != old else { return }
        drawers[drawer][key] = new
        count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    }

    private static func key(_ job: JobID) -> Bits {
        let (high, low) = job.bits
        return Bits(high: high, low: low)
    }

    private static func drawer(_ key: Bits) -> Int { Int(key.low & 0xFF) }
}

extension JobGenerations: Sequence {
    /// Iterates in no order.
    public func makeIterator() -> AnyIterator<(job: JobID, generation: Int)> {
        AnyIterator(
            drawers.lazy.joined().lazy.map { (job: JobID(high: $0.key.high, low: $0.key.low), generation: $0.value) }
                .makeIterator())
    }
}

extension JobGenerations: ExpressibleByDictionaryLiteral {
    public typealias Key = JobID
    public typealias Value = Int

    public init(dictionaryLiteral elements: (JobID, Int)...) {
        for (job, generation) in elements { self[job] = generation }
    }
}

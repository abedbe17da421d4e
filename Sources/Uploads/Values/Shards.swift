/// The shards of a namespace: 1, 4 or 16 parts of its jobs, each with a queue of its own for the notifiers.
///
/// The last hexadecimal digit of a job's id decides its shard: the digit, modulo the number of shards. The digit is also the last word of
/// the routing key of every message about the job.
public struct Shards: Hashable, Sendable {
    /// The numbers of shards that a namespace may have.
    public static let counts = [1, 4, 16]
    public static let one = Shards(unchecked: 1)
    /// The hexadecimal digits, in the order of their values.
    public static let digits = (0..<16).map { String($0, radix: 16) }

    public let count: Int

    /// - Returns: nil unless the number is one of ``counts``.
    public init?(_ count: Int) {
        guard Self.counts.contains(count) else { return nil }
        self.init(unchecked: count)
    }

    private init(unchecked count: Int) { self.count = count }

    /// The numbers of the shards, from 0.
    public var all: Range<Int> { 0..<count }

    /// The shard of a job.
    public func shard(of job: JobID) -> Int { job.digit % count }

    /// The shard of what has a name and exists once, such as a delegate: by the sum of the bytes of the name.
    public func shard(ofName name: String) -> Int { name.utf8.reduce(0) { ($0 + Int($1)) % 16 } % count }

    /// The digits with which the ids of a shard's jobs end.
    public func digits(of shard: Int) -> [String] {
        Self.digits.enumerated().filter { $0.offset % count == shard }.map(\.element)
    }
}

extension JobID {
    /// The value of the last hexadecimal digit, 0 to 15.
    public var digit: Int { rawValue.utf8.last.flatMap { Character(Unicode.Scalar($0)).hexDigitValue } ?? 0 }

    /// The last hexadecimal digit, as it stands in routing keys.
    public var digitText: String { Shards.digits[digit] }

    /// This id with the digit of a serial line. All jobs of a line have it, so that an end and the next job's release are in one shard.
    public func inLine(of queue: QueueName) -> JobID { ending(in: queue.lineDigit) }

    /// This id with another last digit.
    package func ending(in digit: String) -> JobID { JobID(rawValue.dropLast() + digit) ?? self }
}

extension QueueName {
    /// The digit of the queue's serial line: the sum of the bytes of the queue's name, modulo 16.
    public var lineDigit: String { Shards.digits[rawValue.utf8.reduce(0) { ($0 + Int($1)) % 16 }] }
}

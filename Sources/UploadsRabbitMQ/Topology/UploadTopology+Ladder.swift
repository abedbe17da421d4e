public import Foundation
import RabbitMQ
public import Uploads

/// A binary ladder that gives any delay to the second without a plugin and without head-of-line blocking: per level one
/// topic exchange that reads its bit of the routing key, and one queue whose messages live 2^level seconds.
extension UploadTopology {
    /// The number of levels, and of bits in a delay.
    static let levelCount = 22
    /// The longest delay in seconds, 48.5 days: a job with a longer delay comes back sooner and waits again.
    public static let delaySecondsMaximum = 1 << levelCount - 1

    /// Matches the bits before a lane's key at the ladder's foot.
    static let anyDelay = String(repeating: "*.", count: levelCount)

    /// The exchange where any wait can begin.
    public var ladderTop: String { delayLevel(Self.levelCount - 1) }

    /// The exchange where a wait begins: the level of its highest bit. Each level above would only pass the message down, which costs the
    /// broker as much as a queue (80 µs).
    public func ladderEntry(seconds: TimeInterval) -> String {
        delayLevel(Int.bitWidth - 1 - Self.wholeSeconds(seconds).leadingZeroBitCount)
    }

    /// The exchange and the queue of a level, from 0.
    func delayLevel(_ level: Int) -> String { "\(namespace).delay.\(level < 10 ? "0" : "")\(level)" }

    /// Whether a queue has the name of a level.
    func isDelayLevel(_ queue: String) -> Bool { queue.hasPrefix("\(namespace).delay.") }

    /// The bits of a delay, most significant first, joined by dots. Rounded up, so that no message comes early; from 1
    /// to ``delaySecondsMaximum`` seconds.
    public static func delayBits(_ seconds: TimeInterval) -> String {
        let whole = wholeSeconds(seconds)
        return (0..<levelCount).reversed().map { whole >> $0 & 1 == 1 ? "1" : "0" }.joined(separator: ".")
    }

    private static func wholeSeconds(_ seconds: TimeInterval) -> Int {
        // Clamped as a floating point number: converting infinity or NaN would trap.
        Int(seconds.isNaN ? 1 : min(max(seconds.rounded(.up), 1), TimeInterval(delaySecondsMaximum)))
    }

    /// The routing key with which a message published to ``ladderEntry(seconds:)``, or to a level above, reaches a lane after a delay.
    public func delayKey(seconds: TimeInterval, _ queue: QueueName, _ lane: Lane, _ job: JobID) -> String {
        delayKey(seconds: seconds, queue, lane, digit: job.digitText)
    }

    func delayKey(seconds: TimeInterval, _ queue: QueueName, _ lane: Lane, digit: String) -> String {
        "\(Self.delayBits(seconds)).\(laneKey(queue, lane, digit: digit))"
    }

    var ladder: Topology {
        var ladder = Topology()
        // From the foot up, so that every target exists before the bindings to it.
        for level in 0..<Self.levelCount {
            let name = delayLevel(level)
            let below = level == 0 ? due : delayLevel(level - 1)
            let higherBits = String(repeating: "*.", count: Self.levelCount - 1 - level)
            ladder.exchanges.append(Exchange(name: name, kind: .topic))
            ladder.queues.append(
                Queue(
                    name: name,
                    arguments: [
                        "x-queue-type": "quorum",
                        "x-message-ttl": .int64(Int64(1000) << Int64(level)),
                        "x-dead-letter-exchange": .string(below),
                        "x-dead-letter-strategy": "at-least-once",
                        "x-overflow": "reject-publish",
                    ]))
            ladder.bindings += [
                Binding(source: name, destination: .queue(name), routingKey: higherBits + "1.#"),
                Binding(source: name, destination: .exchange(below), routingKey: higherBits + "0.#"),
            ]
        }
        return ladder
    }
}

/// The settled deliveries of a channel, and how to acknowledge them with few frames. Deliveries that are settled
/// without a gap from the beginning go out as one multiple acknowledgement. Those above a gap wait a little for the gap
/// to close (a bitmap above a low-water mark) and then go out one by one.
package struct AcknowledgementWindow {
    package enum Instruction: Hashable {
        case acknowledge(UInt64, multiple: Bool)
        case reject(UInt64, requeue: Bool)
    }

    private struct Word {
        /// Settled by the application.
        var settled: UInt64 = 0
        /// Settled at the broker, too.
        var told: UInt64 = 0
    }

    /// How long an acknowledgement above a gap may wait.
    static let hold: Duration = .milliseconds(2)

    /// How many acknowledgements above a gap may wait: only a part of the prefetch, or the broker could deliver no
    /// more.
    var heldMaximum = 16

    private var words: [Word] = []
    /// `words[0]` holds the tags from 64 times this number.
    private var firstWord: UInt64 = 0
    /// All tags up to here are settled.
    private(set) var lowWaterMark: UInt64 = 0
    private var highest: UInt64 = 0
    private var rejections: [Instruction] = []
    private var unsent = 0
    private var heldSince: ContinuousClock.Instant?
    private var isRaised = false

    package init() {}

    /// Whether the broker knows of all settlements.
    var isClean: Bool { unsent == 0 && rejections.isEmpty }

    /// Whether the channel has had a delivery.
    var isUsed: Bool { highest > 0 }

    /// Notes a delivery of the broker; tags grow.
    package mutating func delivered(_ tag: UInt64) { highest = max(highest, tag) }

    /// - Returns: whether the tag could be settled. Settling twice, or a tag that was never delivered, changes nothing
    ///   (the broker would close the channel for it).
    @discardableResult
    package mutating func acknowledge(_ tag: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard settle(tag, told: false) else { return false }
        unsent += 1
        if heldSince == nil { heldSince = now }
        return true
    }

    /// As `acknowledge`; rejections are not coalesced.
    @discardableResult
    mutating func reject(_ tag: UInt64, requeue: Bool) -> Bool {
        guard settle(tag, told: true) else { return false }
        rejections.append(.reject(tag, requeue: requeue))
        return true
    }

    /// When `flush` will have more instructions without another settlement.
    var deadline: ContinuousClock.Instant? { unsent == 0 ? nil : heldSince.map { $0 + Self.hold } }

    /// Whether `flush` has instructions now.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        if !rejections.isEmpty { return true }
        guard unsent > 0 else { return false }
        return isRaised || unsent >= heldMaximum || deadline.map { $0 <= now } ?? true
    }

    /// The instructions for the broker now, in this order.
    package mutating func flush(at now: ContinuousClock.Instant, isFinal: Bool = false) -> [Instruction] {
        var instructions = rejections
        rejections = []
        isRaised = false
        guard unsent > 0 else { return instructions }

        // The tag of a multiple acknowledgement must be one that the broker still waits for: not the low-water mark
        // itself, which may have been rejected or acknowledged alone.
        var below = 0
        var last: UInt64 = 0
        visitUnsent(through: lowWaterMark) { tag in
            below += 1
            last = tag
        }
        if below > 0 { instructions.append(.acknowledge(last, multiple: below > 1)) }
        unsent -= below

        if unsent > 0 {
            let isDue = heldSince.map { $0 + Self.hold <= now } ?? true
            if isFinal || isDue || unsent >= heldMaximum {
                visitUnsent(through: highest) { instructions.append(.acknowledge($0, multiple: false)) }
                unsent = 0
            }
        }
        if unsent == 0 { heldSince = nil } else if below > 0 { heldSince = now }
        dropFullWords()
        return instructions
    }

    private mutating func settle(_ tag: UInt64, told: Bool) -> Bool {
        guard tag > lowWaterMark, tag <= highest else { return false }
        let index = Int(tag / 64 - firstWord)
        while words.count <= index { words.append(Word()) }
        let bit: UInt64 = 1 << (tag % 64)
        guard words[index].settled & bit == 0 else { return false }
        words[index].settled |= bit
        if told { words[index].told |= bit }
        if tag == lowWaterMark + 1 {
            raiseLowWaterMark()
            isRaised = true
        }
        return true
    }

    private mutating func raiseLowWaterMark() {
        while true {
            let next = lowWaterMark + 1
            let index = Int(next / 64 - firstWord)
            guard index < words.count else { return }
            let run = UInt64((~(words[index].settled >> (next % 64))).trailingZeroBitCount)
            if run == 0 { return }
            lowWaterMark += min(run, 64 - next % 64)
            if next % 64 + run < 64 { return }
        }
    }

    /// Visits the settled tags that the broker has not been told of, and marks them as told.
    private mutating func visitUnsent(through limit: UInt64, _ visit: (UInt64) -> Void) {
        for index in words.indices {
            let first = (firstWord + UInt64(index)) * 64
            if first > limit { return }
            var bits = words[index].settled & ~words[index].told
            if limit - first < 63 { bits &= (1 << (limit - first + 1)) - 1 }
            words[index].told |= bits
            while bits != 0 {
                visit(first + UInt64(bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
    }

    private mutating func dropFullWords() {
        let full = Int((lowWaterMark + 1) / 64 - firstWord)
        guard full > 0 else { return }
        words.removeFirst(min(full, words.count))
        firstWord += UInt64(full)
    }
}

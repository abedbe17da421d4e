/// Which deliveries of a channel are settled, and how to tell the broker with few frames: what is settled without a gap
/// from the beginning goes out as one multiple acknowledgement; what lies above a gap waits a little for the gap to
/// close (a bitmap above a low-water mark) and then goes out one by one.
package struct AcknowledgementWindow {
    package enum Instruction: Hashable {
        case acknowledge(UInt64, multiple: Bool)
        case reject(UInt64, requeue: Bool)
    }

    private struct Word {
        /// Settled by the application.
        var settled: UInt64 = 0
        /// Settled at the broker too.
        var told: UInt64 = 0
    }

    /// How long an acknowledgement above a gap may wait.
    static let hold: Duration = .milliseconds(2)

    /// How many acknowledgements above a gap may wait: a part of the prefetch, or the broker would run dry.
    var heldMaximum = 16

    private var words: [Word] = []
    /// `words[0]` holds the tags from 64 times this.
    private var firstWord: UInt64 = 0
    /// All tags up to here are settled.
    private(set) var lowWaterMark: UInt64 = 0
    private var highest: UInt64 = 0
    private var rejections: [Instruction] = []
    private var unsent = 0
    private var heldSince: ContinuousClock.Instant?
    private var isRaised = false

    package init() {}

    /// Whether there is anything to tell.
    var isClean: Bool { unsent == 0 && rejections.isEmpty }

    /// Whether anything was delivered that could be settled.
    var isUsed: Bool { highest > 0 }

    /// Notes what the broker delivered; tags grow.
    package mutating func delivered(_ tag: UInt64) { highest = max(highest, tag) }

    /// - Returns: whether the tag was there to be settled; settling twice, or what was never delivered, changes nothing
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

    /// When `flush` will have more to say without anything else happening.
    var deadline: ContinuousClock.Instant? { unsent == 0 ? nil : heldSince.map { $0 + Self.hold } }

    /// Whether `flush` has anything to say now.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        if !rejections.isEmpty { return true }
        guard unsent > 0 else { return false }
        return isRaised || unsent >= heldMaximum || deadline.map { $0 <= now } ?? true
    }

    /// What to tell the broker now, in this order.
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

    /// Visits what is settled here and not at the broker, marking it as told.
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

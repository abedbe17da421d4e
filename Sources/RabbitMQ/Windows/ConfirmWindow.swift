/// The unconfirmed publishes of a channel, in the order of their delivery tags. Confirms may come out of order and for
/// many at once; a return comes before the confirm of its message and names no tag.
struct ConfirmWindow<Entry> {
    /// The broker's answer to one publish.
    enum Answer: Hashable {
        case acknowledged
        case nacked
        case returned(code: Int, text: String)
    }

    private struct Slot {
        var entry: Entry
        var returned: Answer?
    }

    private var slots: [Slot?] = []
    private var head = 0
    /// The tag of `slots[0]`.
    private var origin: UInt64 = 1
    private var lastReturned: UInt64 = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var nextTag: UInt64 { origin + UInt64(slots.count) }

    /// - Returns: the tag by which the broker will confirm it.
    @discardableResult
    mutating func append(_ entry: Entry) -> UInt64 {
        let tag = nextTag
        slots.append(Slot(entry: entry))
        count += 1
        return tag
    }

    /// Settles `tag`, and with `multiple` all before it (0 stands for all). A tag outside the window is ignored: it is
    /// the peer's mistake and does no harm.
    mutating func confirm(
        _ tag: UInt64, multiple: Bool, isNegative: Bool = false, _ settle: (Entry, Answer) -> Void
    ) {
        let last = multiple && tag == 0 ? nextTag - 1 : tag
        guard last >= origin, last < nextTag else { return }
        let end = Int(last - origin)
        let start = multiple ? head : end
        guard start <= end else { return }
        for index in start...end {
            guard let slot = slots[index] else { continue }
            slots[index] = nil
            count -= 1
            settle(slot.entry, slot.returned ?? (isNegative ? .nacked : .acknowledged))
        }
        advance()
    }

    /// Notes that a message came back. Messages come back in the order in which they were published, so the search
    /// continues behind the last returned one; of several that `matches` cannot tell apart, any one is right.
    /// - Returns: whether it was found.
    mutating func markReturned(code: Int, text: String, matching matches: (Entry) -> Bool) -> Bool {
        var index = max(head, lastReturned < origin ? 0 : Int(lastReturned - origin) + 1)
        while index < slots.count {
            if let slot = slots[index], slot.returned == nil, matches(slot.entry) {
                slots[index]?.returned = .returned(code: code, text: text)
                lastReturned = origin + UInt64(index)
                return true
            }
            index += 1
        }
        return false
    }

    /// Empties the window, for example when the channel is gone; tags begin at 1 again.
    mutating func reset() -> [Entry] {
        let entries = slots[head...].compactMap { $0?.entry }
        self = ConfirmWindow()
        return entries
    }

    private mutating func advance() {
        while head < slots.count, slots[head] == nil { head += 1 }
        if head == slots.count || (head >= 1024 && head * 2 >= slots.count) {
            origin += UInt64(head)
            slots.removeFirst(head)
            head = 0
        }
    }
}

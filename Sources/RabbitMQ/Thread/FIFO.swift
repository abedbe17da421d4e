/// A queue in an array: taking an element only moves an index, and the used front is cut off when it has grown.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }
    var last: Element? { elements.last ?? nil }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Puts `others` before the present elements.
    mutating func prepend(_ others: [Element]) {
        elements.replaceSubrange(0..<head, with: others.map(Optional.some))
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() -> [Element] {
        defer {
            elements = []
            head = 0
        }
        return elements[head...].compactMap(\.self)
    }

    /// Removes and returns, in order, the elements for which `isWanted` is true.
    mutating func removeAll(where isWanted: (Element) -> Bool) -> [Element] {
        let all = removeAll()
        var taken: [Element] = []
        for element in all {
            if isWanted(element) { taken.append(element) } else { append(element) }
        }
        return taken
    }
}

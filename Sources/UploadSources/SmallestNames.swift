/// Collects the first names, in their order, of many that come in any order. It holds at most twice as many as are wanted.
struct SmallestNames {
    private let countMaximum: Int
    private var names: [String] = []

    /// - Parameter countMaximum: how many are wanted, 1 or more.
    init(atMost countMaximum: Int) { self.countMaximum = countMaximum }

    mutating func add(_ name: String) {
        names.append(name)
        if names.count >= 2 * countMaximum { names = sorted }
    }

    var sorted: [String] { Array(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(countMaximum)) }
}

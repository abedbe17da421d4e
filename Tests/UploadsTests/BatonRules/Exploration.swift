/// Every world that can be reached, breadth first, so that a history that breaks a rule is the shortest one.
struct Exploration {
    struct Finding {
        var problem: String
        var history: [String]

        var description: String {
            "\(problem), by:\n" + history.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n")
        }
    }

    private(set) var finding: Finding?
    private(set) var worlds = 0
    private(set) var restingWorlds = 0
    /// False if the limit was reached first.
    private(set) var isComplete = true

    private var parents: [Int32] = [-1]
    private var steps: [BatonStep?] = [nil]
    /// Steps that need no fault and no operator, backwards, to see that rest can always be reached.
    private var from: [Int32] = []
    private var to: [Int32] = []
    private var resting: [Int32] = []

    /// - Parameter limit: worlds at most.
    init(_ first: BatonWorld, limit: Int) {
        let book = first.book
        var known: [BatonWorld.Key: Int32] = [first.key: 0]
        var frontier: [(world: BatonWorld, number: Int32)] = [(first, 0)]
        search: while !frontier.isEmpty {
            var nextFrontier: [(world: BatonWorld, number: Int32)] = []
            for (world, number) in frontier {
                var isResting = true
                for (step, next) in world.successors() {
                    if !step.isFault { isResting = false }
                    let key = next.key
                    let target: Int32
                    if let found = known[key] {
                        target = found
                    } else {
                        target = Int32(parents.count)
                        known[key] = target
                        parents.append(number)
                        steps.append(step)
                        nextFrontier.append((next, target))
                        if let problem = next.violation(after: step) {
                            finding = Finding(problem: problem, history: history(of: target, book))
                            break search
                        }
                    }
                    if !step.isFault {
                        from.append(number)
                        to.append(target)
                    }
                }
                if isResting {
                    resting.append(number)
                    if let problem = world.violationAtRest() {
                        finding = Finding(problem: problem, history: history(of: number, book))
                        break search
                    }
                }
            }
            frontier = nextFrontier
            if parents.count > limit {
                isComplete = frontier.isEmpty
                break
            }
        }
        worlds = parents.count
        restingWorlds = resting.count
        if finding == nil, isComplete, let lost = firstThatNeverRests() {
            finding = Finding(problem: "from here nothing comes to rest", history: history(of: lost, book))
        }
    }

    private func history(of number: Int32, _ book: RuleBook) -> [String] {
        var lines: [String] = []
        var number = number
        while number > 0 {
            if let step = steps[Int(number)] { lines.append(step.line(book)) }
            number = parents[Int(number)]
        }
        return lines.reversed()
    }

    /// Walks back from the worlds at rest.
    private func firstThatNeverRests() -> Int32? {
        var starts = [Int32](repeating: 0, count: worlds + 1)
        for target in to { starts[Int(target) + 1] += 1 }
        for index in 0..<worlds { starts[index + 1] += starts[index] }
        var places = starts
        var sources = [Int32](repeating: 0, count: to.count)
        for edge in to.indices {
            sources[Int(places[Int(to[edge])])] = from[edge]
            places[Int(to[edge])] += 1
        }
        var comesToRest = [Bool](repeating: false, count: worlds)
        var open = resting
        for number in open { comesToRest[Int(number)] = true }
        while let number = open.popLast() {
            for edge in starts[Int(number)]..<starts[Int(number) + 1] where !comesToRest[Int(sources[Int(edge)])] {
                comesToRest[Int(sources[Int(edge)])] = true
                open.append(sources[Int(edge)])
            }
        }
        return comesToRest.firstIndex(of: false).map { Int32($0) }
    }
}

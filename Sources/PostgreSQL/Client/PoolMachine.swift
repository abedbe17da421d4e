/// Who gets which connection of a pool, and when another one is made. Connections and waiting callers are numbers here.
struct PoolMachine {
    enum Action: Equatable {
        case hand(connection: UInt64, to: UInt64)
        /// Make a connection, after a pause if the last attempts failed.
        case open(failures: Int)
        case close(UInt64)
        case fail(UInt64, Reason)
    }

    enum Reason: Equatable {
        case cancelled, closed
        /// No connection could be made; the error of the attempt says why.
        case notOpened
    }

    private let countMaximum: Int
    /// Connections without a user; the one that was used last is used first.
    private var idle: [UInt64] = []
    private var leased: Set<UInt64> = []
    private var openingCount = 0
    private var waiting: [UInt64] = []
    /// The number of attempts that have failed since the last one that succeeded.
    private var failures = 0
    private var isClosed = false

    init(countMaximum: Int) { self.countMaximum = max(1, countMaximum) }

    /// Whether all connections are closed, after ``close()``.
    var hasEnded: Bool { isClosed && leased.isEmpty && openingCount == 0 }

    /// - Parameter isAlive: whether a connection can still be used, as far as is known.
    mutating func acquire(_ caller: UInt64, isAlive: (UInt64) -> Bool) -> [Action] {
        guard !isClosed else { return [.fail(caller, .closed)] }
        var actions: [Action] = []
        while let connection = idle.popLast() {
            guard isAlive(connection) else {
                actions.append(.close(connection))
                continue
            }
            leased.insert(connection)
            return actions + [.hand(connection: connection, to: caller)]
        }
        waiting.append(caller)
        return actions + openIfNeeded()
    }

    /// A caller waits no more. One that has a connection already gives that back itself.
    mutating func cancel(_ caller: UInt64) -> [Action] {
        guard let index = waiting.firstIndex(of: caller) else { return [] }
        waiting.remove(at: index)
        return [.fail(caller, .cancelled)]
    }

    mutating func release(_ connection: UInt64, isUsable: Bool) -> [Action] {
        leased.remove(connection)
        guard isUsable, !isClosed else { return [.close(connection)] + openIfNeeded() }
        return place(connection)
    }

    mutating func opened(_ connection: UInt64) -> [Action] {
        openingCount -= 1
        failures = 0
        return isClosed ? [.close(connection)] : place(connection)
    }

    /// Callers that no connection will come to learn the reason. Others wait for one that is in use, which may be for long, or for another
    /// attempt.
    mutating func openFailed() -> [Action] {
        openingCount -= 1
        failures += 1
        guard openingCount == 0 else { return [] }
        guard leased.isEmpty else { return openIfNeeded() }
        defer { waiting = [] }
        return waiting.map { .fail($0, .notOpened) }
    }

    mutating func close() -> [Action] {
        isClosed = true
        defer { (idle, waiting) = ([], []) }
        return waiting.map { .fail($0, .closed) } + idle.map { .close($0) }
    }

    private mutating func place(_ connection: UInt64) -> [Action] {
        guard !waiting.isEmpty else {
            idle.append(connection)
            return []
        }
        leased.insert(connection)
        return [.hand(connection: connection, to: waiting.removeFirst())]
    }

    private mutating func openIfNeeded() -> [Action] {
        guard !isClosed, openingCount < waiting.count, idle.count + leased.count + openingCount < countMaximum else {
            return []
        }
        openingCount += 1
        return [.open(failures: failures)]
    }
}

import Testing

@testable import PostgreSQL

struct PoolMachineTests {
    @Test func `a connection is made when one is missing, and used again`() {
        var pool = PoolMachine(countMaximum: 2)
        #expect(pool.acquire(1) { _ in true } == [.open(failures: 0)])
        #expect(pool.acquire(2) { _ in true } == [.open(failures: 0)])
        #expect(pool.acquire(3) { _ in true } == [])
        #expect(pool.opened(10) == [.hand(connection: 10, to: 1)])
        #expect(pool.release(10, isUsable: true) == [.hand(connection: 10, to: 2)])
        #expect(pool.opened(11) == [.hand(connection: 11, to: 3)])
        #expect(pool.release(11, isUsable: true) == [])
        #expect(pool.acquire(4) { _ in true } == [.hand(connection: 11, to: 4)])
    }

    @Test func `a lost connection is replaced, while it is idle and while it is used`() {
        var pool = PoolMachine(countMaximum: 1)
        #expect(pool.acquire(1) { _ in true } == [.open(failures: 0)])
        #expect(pool.opened(10) == [.hand(connection: 10, to: 1)])
        #expect(pool.release(10, isUsable: true) == [])
        #expect(pool.acquire(2) { _ in false } == [.close(10), .open(failures: 0)])
        #expect(pool.opened(11) == [.hand(connection: 11, to: 2)])
        #expect(pool.acquire(3) { _ in true } == [])
        #expect(pool.release(11, isUsable: false) == [.close(11), .open(failures: 0)])
    }

    @Test func `callers learn why there is no connection, unless one is in use that they may get`() {
        var pool = PoolMachine(countMaximum: 2)
        _ = pool.acquire(1) { _ in true }
        _ = pool.acquire(2) { _ in true }
        #expect(pool.openFailed() == [])
        #expect(pool.openFailed() == [.fail(1, .notOpened), .fail(2, .notOpened)])
        #expect(pool.acquire(3) { _ in true } == [.open(failures: 2)])
        #expect(pool.opened(10) == [.hand(connection: 10, to: 3)])
        #expect(pool.acquire(4) { _ in true } == [.open(failures: 0)])
        #expect(pool.openFailed() == [.open(failures: 1)])
        #expect(pool.release(10, isUsable: true) == [.hand(connection: 10, to: 4)])
    }

    @Test func `a closed pool ends when the last connection has come back`() {
        var pool = PoolMachine(countMaximum: 3)
        _ = pool.acquire(1) { _ in true }
        _ = pool.opened(10)
        _ = pool.acquire(2) { _ in true }
        #expect(pool.close() == [.fail(2, .closed)])
        #expect(pool.acquire(3) { _ in true } == [.fail(3, .closed)])
        #expect(pool.opened(11) == [.close(11)])
        #expect(!pool.hasEnded)
        #expect(pool.release(10, isUsable: true) == [.close(10)])
        #expect(pool.hasEnded)
    }

    /// Whatever happens in whatever order, each caller is answered once, no connection has two users, and there are never too many.
    @Test func `every caller is answered once, and no connection has two users`() {
        var generator = SystemRandomNumberGenerator()
        for maximum in 1...4 {
            var pool = PoolMachine(countMaximum: maximum)
            var (waiting, answered) = (Set<UInt64>(), Set<UInt64>())
            var (leased, open, opening, last) = ([UInt64: UInt64](), Set<UInt64>(), 0, UInt64(0))
            func perform(_ actions: [PoolMachine.Action]) {
                for action in actions {
                    switch action {
                    case .hand(let connection, let caller):
                        #expect(waiting.remove(caller) != nil && answered.insert(caller).inserted)
                        #expect(open.contains(connection) && leased.updateValue(caller, forKey: connection) == nil)
                    case .fail(let caller, _):
                        #expect(waiting.remove(caller) != nil && answered.insert(caller).inserted)
                    case .open: opening += 1
                    case .close(let connection): #expect(open.remove(connection) != nil && leased[connection] == nil)
                    }
                }
                #expect(open.count + opening <= maximum)
            }
            for step in 0..<5000 {
                last += 1
                switch UInt8.random(in: 0..<8, using: &generator) {
                case 0, 1, 2:
                    waiting.insert(last)
                    perform(pool.acquire(last) { _ in Bool.random() })
                case 3, 4:
                    guard let connection = leased.keys.randomElement() else { continue }
                    leased[connection] = nil
                    perform(pool.release(connection, isUsable: .random()))
                case 5:
                    guard let caller = waiting.randomElement() else { continue }
                    perform(pool.cancel(caller))
                case 6 where opening > 0:
                    opening -= 1
                    open.insert(last)
                    perform(pool.opened(last))
                case 7 where opening > 0:
                    opening -= 1
                    perform(pool.openFailed())
                default: break
                }
                // A caller waits only while a connection is used or being made.
                #expect(waiting.isEmpty || !leased.isEmpty || opening > 0, "step \(step)")
            }
            perform(pool.close())
            #expect(waiting.isEmpty)
        }
    }
}

import Testing

@testable import UploadNotifier

@Suite struct LeaseDivisionTests {
    @Test func `the first notifier has all, and one that comes gets its share from those with more`() {
        #expect(LeaseDivision(held: [], freeCount: 16, notifiers: 1, count: 16).takes == 16)
        let first = LeaseDivision(held: Set(0..<16), freeCount: 0, notifiers: 2, count: 16)
        #expect(first.takes == 0 && first.gives == Set(8..<16))
        #expect(LeaseDivision(held: [], freeCount: 8, notifiers: 2, count: 16).takes == 8)
    }

    @Test func `a shard more than another notifier has is kept, and one shard stays where it is`() {
        let four = LeaseDivision(held: [0, 1, 2, 3], freeCount: 0, notifiers: 5, count: 16)
        #expect(four.takes == 0 && four.gives.isEmpty)
        #expect(LeaseDivision(held: [0], freeCount: 0, notifiers: 3, count: 1).gives.isEmpty)
        #expect(LeaseDivision(held: [], freeCount: 0, notifiers: 3, count: 1).takes == 0)
    }

    /// Notifiers come and die in any order, and decide one after the other by what they see.
    @Test(arguments: [1, 4, 16]) func `while notifiers come and die, each shard has one notifier`(_ count: Int) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var held: [[Int]] = [[]]
            for _ in 0..<12 {
                if held.count < 6, Bool.random(using: &generator) {
                    held.append([])
                } else if held.count > 1 {
                    held.remove(at: .random(in: held.indices, using: &generator))
                }
                for _ in 0..<4 { for index in held.indices { round(index, &held, count) } }
                #expect(held.flatMap { $0 }.sorted() == Array(0..<count))
                let share = (count + held.count - 1) / held.count
                #expect(held.allSatisfy { $0.count <= share })
            }
        }
    }

    private func round(_ index: Int, _ held: inout [[Int]], _ count: Int) {
        let free = Set(0..<count).subtracting(held.flatMap { $0 })
        let division = LeaseDivision(
            held: Set(held[index]), freeCount: free.count, notifiers: held.count, count: count)
        held[index].removeAll { division.gives.contains($0) }
        held[index] += free.sorted().prefix(division.takes)
    }
}

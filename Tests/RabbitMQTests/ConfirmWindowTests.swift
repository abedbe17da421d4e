import Testing

@testable import RabbitMQ

@Suite struct ConfirmWindowTests {
    private typealias Window = ConfirmWindow<Int>

    private func filled(_ count: Int) -> Window {
        var window = Window()
        for number in 1...count { #expect(window.append(number) == UInt64(number)) }
        return window
    }

    private func confirm(
        _ window: inout Window, _ tag: UInt64, multiple: Bool = false, isNegative: Bool = false
    ) -> [Int: Window.Answer] {
        var settled: [Int: Window.Answer] = [:]
        window.confirm(tag, multiple: multiple, isNegative: isNegative) { entry, answer in
            #expect(settled.updateValue(answer, forKey: entry) == nil)
        }
        return settled
    }

    @Test func `Single confirms settle in any order, each once`() {
        var window = filled(5)
        #expect(confirm(&window, 3) == [3: .acknowledged])
        #expect(confirm(&window, 3) == [:])
        #expect(confirm(&window, 1) == [1: .acknowledged])
        #expect(window.count == 3)
        #expect(window.append(6) == 6)
    }

    @Test func `A multiple confirm settles all before it that were not settled`() {
        var window = filled(6)
        _ = confirm(&window, 2)
        #expect(confirm(&window, 4, multiple: true) == [1: .acknowledged, 3: .acknowledged, 4: .acknowledged])
        #expect(confirm(&window, 0, multiple: true, isNegative: true) == [5: .nacked, 6: .nacked])
        #expect(window.isEmpty)
        #expect(window.append(7) == 7)
    }

    @Test(arguments: [0, 7, 99, UInt64.max]) func `A confirm of what was never published is ignored`(tag: UInt64) {
        var window = filled(6)
        #expect(confirm(&window, tag) == [:])
        #expect(window.count == 6)
    }

    @Test func `A return is told with the confirm of its message`() {
        var window = filled(4)
        #expect((window.markReturned(code: 312, text: "NO_ROUTE") { $0 == 2 || $0 == 4 }) == true)
        #expect((window.markReturned(code: 312, text: "NO_ROUTE") { $0 == 2 || $0 == 4 }) == true)
        #expect((window.markReturned(code: 312, text: "NO_ROUTE") { $0 == 2 || $0 == 4 }) == false)
        let back = Window.Answer.returned(code: 312, text: "NO_ROUTE")
        #expect(confirm(&window, 4, multiple: true) == [1: .acknowledged, 2: back, 3: .acknowledged, 4: back])
    }

    @Test func `Emptying gives all back and begins anew`() {
        var window = filled(3)
        _ = confirm(&window, 2)
        #expect(window.reset() == [1, 3])
        #expect(window.append(1) == 1)
    }

    @Test func `Whatever the order of confirms, each entry is settled exactly once`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var window = Window()
            var settled: [Int] = []
            var next = 1
            for _ in 0..<3000 {
                if Bool.random(using: &generator) || window.isEmpty {
                    window.append(next)
                    next += 1
                } else {
                    let tag = UInt64.random(in: 1..<UInt64(next), using: &generator)
                    window.confirm(tag, multiple: Int.random(in: 0..<50) == 0) { entry, _ in settled.append(entry) }
                }
            }
            window.confirm(0, multiple: true) { entry, _ in settled.append(entry) }
            #expect(settled.sorted() == Array(1..<next))
        }
    }
}

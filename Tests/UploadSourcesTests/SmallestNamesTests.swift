import Testing

@testable import UploadSources

struct SmallestNamesTests {
    @Test(arguments: [1, 2, 7, 100, 500]) func `the first names are kept in order, whatever order they come in`(
        countMaximum: Int
    ) {
        let all = (100..<350).map { "\($0)" }
        for _ in 0..<20 {
            var names = SmallestNames(atMost: countMaximum)
            for name in all.shuffled() { names.add(name) }
            #expect(names.sorted == Array(all.prefix(countMaximum)))
        }
    }
}

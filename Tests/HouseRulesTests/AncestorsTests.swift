import Foundation
import Testing

/// The table that maps every notion of the ancestor libraries to its place here.
@Suite struct AncestorsTests {
    let repository = Repository()

    @Test func `every test that the table of the ancestors names is there`() throws {
        let names = /func (?:`([^`]+)`|(\w+))\(|\bRule\("([^"]+)"/
        let tests = try repository.swiftFiles(below: "Tests").flatMap(\.lines).compactMap { line in
            line.firstMatch(of: names).map { String($0.1 ?? $0.2 ?? $0.3 ?? "") }
        }
        let known = Set(tests)
        var rows = 0
        for (number, line) in try table().enumerated()
        where line.hasPrefix("| ") && !line.hasPrefix("| ancestor's name") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.count == 4, "line \(number + 1) has \(cells.count) columns: \(line)")
            guard let last = cells.last else { continue }
            rows += 1
            let named = last.matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(!named.isEmpty, "line \(number + 1) names no test: \(line)")
            for name in named where !known.contains(name) {
                Issue.record("line \(number + 1): there is no test '\(name)'")
            }
        }
        #expect(rows >= 10, "the table was not found")
    }

    @Test func `every line of the article's snippets stands in a test that compiles it`() throws {
        let compiled = Set(
            try repository.swiftFiles(below: "Tests/UploadClientTests").flatMap(\.lines).map(Self.code))
        var snippets = 0
        for article in ["MappingObjects", "TransferQueues"] {
            let url = repository.root.appending(path: "Sources/UploadClient/UploadClient.docc/\(article).md")
            var isSwift = false
            for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("```") {
                    isSwift = line == "```swift"
                    snippets += isSwift ? 1 : 0
                } else if isSwift, !compiled.contains(Self.code(String(line))) {
                    Issue.record("\(article) has a line that no test of the client compiles: \(line)")
                }
            }
        }
        #expect(snippets >= 5)
    }

    /// A line without its comment and the space around it.
    private static func code(_ line: String) -> String {
        let comment = line.firstRange(of: "//").flatMap { line[..<$0.lowerBound].last == ":" ? nil : $0 }
        return String(line[..<(comment?.lowerBound ?? line.endIndex)]).trimmingCharacters(in: .whitespaces)
    }

    private func table() throws -> [String] {
        let url = repository.root.appending(path: "Sources/UploadClient/UploadClient.docc/Ancestors.md")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}

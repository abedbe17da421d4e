import Foundation
import Testing

/// The page that has the rules of the baton, and the code that says which of them it obeys.
@Suite struct BatonRuleTests {
    let repository = Repository()

    @Test func `code says which rule of the baton it obeys, and the page has each rule that code names`() throws {
        let numbers = try page().compactMap { $0.firstMatch(of: /^(\d+)\. [*]{2}/).flatMap { Int($0.1) } }
        #expect(numbers == Array(1...9), "the page's rules were not found")
        var obeyed: Set<Int> = []
        for file in try repository.swiftFiles(below: "Sources") {
            for (index, line) in file.lines.enumerated() {
                for match in line.matches(of: /\/\/ Rule (\d+)/) {
                    guard let number = Int(match.1), numbers.contains(number) else {
                        Issue.record("\(file):\(index + 1) names rule \(match.1), which the page does not have")
                        continue
                    }
                    obeyed.insert(number)
                }
            }
        }
        let missing = Set(numbers).subtracting(obeyed).sorted()
        #expect(missing.isEmpty, "no code below Sources has a comment '// Rule N' for the rules \(missing)")
    }

    @Test func `every type that the table of the rules names is there, with its member`() throws {
        let files = try repository.swiftFiles(below: "Sources").map { Self.declared(in: $0.lines) }
        for row in try table() {
            for name in row.deciders {
                let parts = name.split(separator: ".").map(String.init)
                let homes = files.filter { file in
                    ["struct", "class", "enum", "actor", "protocol", "extension"].contains { keyword in
                        file.contains("\(keyword) \(parts[0])")
                    }
                }
                #expect(!homes.isEmpty, "rule \(row.number): there is no type '\(parts[0])'")
                guard parts.count > 1 else { continue }
                let isThere = homes.contains { file in
                    ["func", "var", "let", "case"].contains { file.contains("\($0) \(parts[1])") }
                }
                #expect(isThere, "rule \(row.number): there is no '\(name)'")
            }
        }
    }

    /// All pairs of words with just a space between them: a declaration is its keyword and its name. `case .name` declares nothing.
    private static func declared(in lines: [String]) -> Set<String> {
        func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
        var pairs: Set<String> = []
        for line in lines {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            for (first, second) in zip(parts, parts.dropFirst()) {
                let keyword = first.reversed().prefix(while: isOfWord).reversed()
                let name = second.prefix(while: isOfWord)
                if !keyword.isEmpty, !name.isEmpty { pairs.insert(String(keyword) + " " + name) }
            }
        }
        return pairs
    }

    @Test func `every test that the table of the rules names is there, and every rule that a search leaves out`() throws
    {
        let names = /func (?:`([^`]+)`|(\w+))\(/
        let tests = try repository.swiftFiles(below: "Tests")
        var known = Set(
            tests.flatMap(\.lines).compactMap { line in
                line.firstMatch(of: names).map { String($0.1 ?? $0.2 ?? "") }
            })
        // The cases of `Mutation` and `SliceRule`.
        for file in tests where ["Mutation.swift", "SliceChains.swift"].contains(file.name) {
            known.formUnion(file.lines.compactMap { $0.firstMatch(of: /^ {4}case (\w+)$/).map { String($0.1) } })
        }
        for row in try table() {
            for name in row.tests where !known.contains(name) {
                Issue.record("rule \(row.number): there is no test '\(name)'")
            }
        }
    }

    private struct Row {
        let number: Int
        let deciders: [String]
        let tests: [String]
    }

    /// The rows of the page's table, one for each rule.
    private func table() throws -> [Row] {
        let rows = try page().compactMap { line -> Row? in
            guard let number = line.firstMatch(of: /^\| (\d+)\s/).flatMap({ Int($0.1) }) else { return nil }
            let cells = line.split(separator: "|").map { cell in
                cell.matches(of: /`([^`]+)`/).map { String($0.1) }
            }
            return cells.count == 3 ? Row(number: number, deciders: cells[1], tests: cells[2]) : nil
        }
        #expect(rows.map(\.number) == Array(1...9), "the table has a row of three columns for each rule")
        #expect(rows.allSatisfy { !$0.deciders.isEmpty && !$0.tests.isEmpty }, "each row names types and tests")
        return rows
    }

    /// The page's lines from the rules to the next chapter.
    private func page() throws -> [String] {
        let url = repository.root.appending(path: "Sources/Uploads/Uploads.docc/JobLifeCycle.md")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
        return Array(lines.drop { $0 != "## The rules of the baton" }.dropFirst().prefix { !$0.hasPrefix("## ") })
    }
}

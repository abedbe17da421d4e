import Foundation
import Testing

/// The words of the page `Glossary.md`, each with one meaning in names, comments and pages.
@Suite struct GlossaryTests {
    let repository = Repository()

    @Test func `every type that the glossary names is declared below Sources`() throws {
        let page = try text(of: "Sources/Uploads/Uploads.docc/Glossary.md")
        let named = Set(page.matches(of: /`+([A-Z][A-Za-z0-9]*)(?:\/[A-Za-z0-9]+)?`+/).map { String($0.1) })
        #expect(named.count >= 60, "the glossary's types were not found")
        #expect(named.subtracting(try typeNames()) == [])
    }

    /// The serial line is the only line, apart from lines of text.
    @Test func `a type with Line in its name belongs to the serial line or to lines of text`() throws {
        let allowed: Set = [
            "Line", "LineEntry", "LinePage", "LinePhase", "LinePlace", "LineRow", "LineRows", "LineTarget", "LineVerb",
            "QueueLineCommand", "SerialLine", "TextLines",
        ]
        #expect(try typeNames(with: /Lines?(?:[A-Z0-9]|$)/).subtracting(allowed) == [])
    }

    @Test func `a type with Watch in its name follows uploads`() throws {
        let allowed: Set = [
            "EventWatch", "OutcomeWatch", "WatchCommand", "WatchDisplay", "WatchFeed", "WatchedUploads",
            "WriteWatchdog",
        ]
        #expect(try typeNames(with: /Watch/).subtracting(allowed) == [])
    }

    /// Each of these words once named several ideas.
    @Test func `no type has Standing, Desk or Board in its name`() throws {
        #expect(try typeNames(with: /Standing|Desk|Board/).filter { !$0.contains("Dashboard") } == [])
    }

    /// Names between backticks, such as those of tests, stand as they are.
    @Test func `comments and pages name who acts`() throws {
        let pattern = /\b(?:nobody|whoever|somebody|anybody|everybody)\b/.ignoresCase().wordBoundaryKind(.simple)
        for path in try textFiles() {
            let text = try text(of: path)
            // Most files have none of the words, and a search for a string is much quicker than one by a pattern.
            let lowercased = text.lowercased()
            guard ["nobody", "whoever", "somebody", "anybody", "everybody"].contains(where: lowercased.contains) else {
                continue
            }
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if let word = line.replacing(/`[^`]*`/, with: "").firstMatch(of: pattern) {
                    Issue.record("\(path):\(index + 1) says '\(word.0)': name the program or the person who acts")
                }
            }
        }
    }

    /// The names of all types below Sources, nested ones too. Words instead of a pattern: a pattern takes minutes for so many lines.
    private func typeNames() throws -> Set<String> {
        let modifiers: Set<Substring> = [
            "public", "package", "private", "fileprivate", "final", "indirect", "nonisolated",
        ]
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        return Set(
            try repository.swiftFiles(below: "Sources").flatMap(\.lines).compactMap { line in
                let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
                guard let kind = words.first, kinds.contains(kind), let name = words.dropFirst().first else {
                    return nil
                }
                return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            })
    }

    private func typeNames(with pattern: Regex<Substring>) throws -> Set<String> {
        try typeNames().filter { $0.contains(pattern) }
    }

    /// Sources, pages, schemas and scripts, relative to the root.
    private func textFiles() throws -> [String] {
        var paths = ["README.md"]
        for folder in ["Sources", "deploy", ".ci"] {
            let url = repository.root.appending(path: folder)
            for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
                let isFolder = try url.appending(path: name).resourceValues(forKeys: [.isDirectoryKey]).isDirectory
                if isFolder != true { paths.append("\(folder)/\(name)") }
            }
        }
        #expect(paths.count >= 500, "the files below Sources were not found")
        return paths
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: repository.root.appending(path: path), encoding: .utf8)
    }
}

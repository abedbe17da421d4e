import Foundation

/// The checkout from which these tests were built.
struct Repository {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct SourceFile: CustomStringConvertible {
        /// The path below the root, such as `Sources/Uploads/Values/Part.swift`.
        let path: String
        let lines: [String]

        var name: String { String(path.split(separator: "/").last ?? "") }
        var target: String { String(path.split(separator: "/").dropFirst().first ?? "") }
        var description: String { path }

        /// The modules that this file imports, with any access level and attributes.
        var imports: [String] {
            lines.compactMap { line in
                let words = line.split(separator: " ")
                guard let at = words.firstIndex(of: "import"), at + 1 < words.count,
                    words[..<at].allSatisfy({ $0.hasPrefix("@") || ["public", "internal", "package"].contains($0) })
                else { return nil }
                let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "typealias", "var", "let"]
                let name = kinds.contains(words[at + 1]) ? words.dropFirst(at + 2).first : words[at + 1]
                return name.map { String($0.prefix { $0 != "." }) }
            }
        }
    }

    /// The Swift files below a folder of the root.
    func swiftFiles(below folder: String) throws -> [SourceFile] {
        let start = root.appending(path: folder)
        let found = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
        return try (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.map { url in
            let text = try String(contentsOf: url, encoding: .utf8)
            let path = url.path.dropFirst(root.path.count).drop { $0 == "/" }
            return SourceFile(
                path: String(path),
                lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        }
    }
}

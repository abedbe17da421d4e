import Foundation
import Uploads

/// One line of a manifest: a plain path, or an object with `path` and optionally `key`, `contentType` and `metadata`.
struct ManifestEntry: Hashable {
    var path: String
    /// Appended to the destination instead of the path's own name.
    var key: String?
    var contentType: String?
    var metadata: [String: String] = [:]
    /// From 1.
    var line: Int

    private static let fields: Set<String> = ["path", "key", "contentType", "metadata"]

    /// The entries of a manifest. Empty lines are skipped.
    /// - Throws: `badInput` with every line that is wrong.
    static func parse(_ text: String, name: String) throws(ProgramError) -> [ManifestEntry] {
        var entries: [ManifestEntry] = []
        var problems: [String] = []
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = raw.hasSuffix("\r") ? raw.dropLast() : raw
            if line.allSatisfy(\.isWhitespace) { continue }
            do throws(ProgramError) {
                entries.append(try parse(line: String(line), number: index + 1))
            } catch {
                problems.append("\(name):\(index + 1): \(error)")
            }
        }
        guard problems.isEmpty else { throw ProgramError(.badInput, problems: problems) }
        return entries
    }

    private static func parse(line: String, number: Int) throws(ProgramError) -> ManifestEntry {
        guard line.hasPrefix("{") else { return ManifestEntry(path: line, line: number) }
        guard case .object(let object)? = try? WireJSON.decode(JSONValue.self, from: Data(line.utf8)) else {
            throw ProgramError(.badInput, "not a JSON object; a path that begins with '{' is written {\"path\": \"…\"}")
        }
        if let odd = object.keys.sorted().first(where: { !fields.contains($0) }) {
            let nearest = EditDistance.nearest(to: odd, among: fields).map { "; did you mean '\($0)'?" } ?? ""
            throw ProgramError(.badInput, "unknown field '\(odd)'\(nearest)")
        }
        guard let path = object["path"]?.string, !path.isEmpty else {
            throw ProgramError(.badInput, "'path' is missing or no text")
        }
        var entry = ManifestEntry(path: path, line: number)
        entry.key = try text("key", of: object)
        entry.contentType = try text("contentType", of: object)
        switch object["metadata"] {
        case nil, .null: break
        case .object(let pairs):
            for (name, value) in pairs {
                guard let value = value.string else {
                    throw ProgramError(.badInput, "metadata '\(name)': expected a text")
                }
                entry.metadata[name] = value
            }
        default: throw ProgramError(.badInput, "metadata: expected an object of texts")
        }
        return entry
    }

    private static func text(_ name: String, of object: [String: JSONValue]) throws(ProgramError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text) where !text.isEmpty: return text
        default: throw ProgramError(.badInput, "\(name): expected a text that is not empty")
        }
    }
}

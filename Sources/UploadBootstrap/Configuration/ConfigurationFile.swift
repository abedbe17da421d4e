import Foundation
import LinuxFiles
import Uploads
import Yams

/// The YAML file: its path, and its values, each with its line.
struct ConfigurationFile {
    private static let bytesMaximum = 16 << 20

    /// As the user named it, or as the search found it; may be relative.
    let path: String
    var settings: [String: Setting] = [:]
    var problems: [String] = []
    /// The sections that the file has, empty ones included: `destinations`.
    var sections: Set<String> = []

    /// The file to read: the named one, else the first existing one of the usual places.
    static func locate(_ named: String?, directory: String) -> String? {
        if let named { return named }
        return ["upload.yaml", "/etc/longshore/upload.yaml"].first { candidate in
            FileManager.default.fileExists(
                atPath: candidate.hasPrefix("/") ? candidate : "\(directory)/\(candidate)")
        }
    }

    /// Reads the file; ``problems`` lists its mistakes.
    /// - Throws: `configuration` when the file cannot be read at all.
    init(path: String, directory: String) throws(ProgramError) {
        let fullPath = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let data: [UInt8]
        do throws(SystemError) {
            data = try File.contents(of: fullPath, atMost: Self.bytesMaximum)
        } catch {
            throw ProgramError(
                .configuration,
                "\(path): cannot read the configuration file (\(error.reason)): check that it exists and may be read")
        }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw ProgramError(.configuration, "\(path): the configuration file is not UTF-8 text")
        }
        self.init(path: path, text: text)
    }

    init(path: String, text: String) {
        self.path = path
        do {
            guard let root = try compose(yaml: text) else { return }
            walk(root, at: [])
        } catch {
            problems.append(Self.problem(error, path: path))
        }
    }

    private mutating func walk(_ node: Node, at components: [String]) {
        let path = components.joined(separator: ".")
        if !components.isEmpty, let key = ConfigurationKey.find(components) {
            read(node, as: key, path: path)
            return
        }
        if let scalar = node.scalar, scalar.string.isEmpty || scalar.string == "null" {
            sections.insert(path)
            return
        }
        guard let mapping = node.mapping else {
            note(node, "\(path.isEmpty ? "the file" : path): expected a section of 'key: value' lines")
            return
        }
        sections.insert(path)
        let names = ConfigurationKey.tree.names(below: components)
        for (key, value) in mapping {
            guard let name = key.scalar?.string else {
                note(key, "\(path): expected a plain key")
                continue
            }
            if names.contains("*") {
                if components.count == 1, (try? DestinationName(name)) == nil {
                    note(key, "\(path).\(name): expected a name of \(ValueKind.name.expectation)")
                    continue
                }
            } else if !names.contains(name) {
                note(key, Self.unknown((components + [name]).joined(separator: "."), name, among: names))
                continue
            }
            walk(value, at: components + [name])
        }
    }

    private mutating func read(_ node: Node, as key: ConfigurationKey, path: String) {
        let origin = Origin.file(path: self.path, line: node.mark?.line ?? 0)
        if let scalar = node.scalar {
            settings[path] = Setting(scalar.string, origin)
        } else if let sequence = node.sequence, key.kind.isList {
            let items = sequence.compactMap(\.scalar?.string)
            guard items.count == sequence.count else {
                note(node, "\(path): expected \(key.kind.expectation)")
                return
            }
            settings[path] = Setting(.list(items), origin)
        } else {
            note(node, "\(path): expected \(key.kind.expectation)")
        }
    }

    private mutating func note(_ node: Node, _ problem: String) {
        problems.append("\(path):\(node.mark?.line ?? 0): \(problem)")
    }

    static func unknown(_ path: String, _ name: String, among names: Set<String>) -> String {
        if let nearest = EditDistance.nearest(to: name, among: names) {
            return "\(path): unknown key; did you mean '\(nearest)'?"
        }
        return "\(path): unknown key; known here: \(names.sorted().joined(separator: ", "))"
    }

    private static func problem(_ error: any Error, path: String) -> String {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "\(path):\(mark.line): not YAML: \(problem)"
        case .duplicatedKeysInMapping(let duplicates, let context):
            "\(path):\(context.mark.line): the same key twice: \(duplicates.joined(separator: ", ")); remove one"
        default: "\(path): not YAML: \(error)"
        }
    }
}

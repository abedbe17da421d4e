import Foundation

/// A secret as the configuration gives it: `env:NAME`, `file:PATH`, or the secret itself.
public enum Secret: Hashable, Sendable {
    case literal(String)
    case environment(variable: String)
    case file(path: String)

    public init(_ text: String) {
        if text.hasPrefix("env:") {
            self = .environment(variable: String(text.dropFirst("env:".count)))
        } else if text.hasPrefix("file:") {
            self = .file(path: String(text.dropFirst("file:".count)))
        } else {
            self = .literal(text)
        }
    }

    /// Reads the secret. A file's trailing line end is not part of it.
    /// - Parameter key: for the error: the key and its place.
    /// - Throws: `configuration` when the variable is not set, or the file cannot be read or is empty.
    func resolve(_ environment: [String: String], key: String) throws(ProgramError) -> String {
        switch self {
        case .literal(let text): return text
        case .environment(let variable):
            guard let text = environment[variable], !text.isEmpty else {
                throw ProgramError(.configuration, "\(key): the environment variable \(variable) is not set; set it")
            }
            return text
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ProgramError(
                    .configuration, "\(key): cannot read the file \(path); check that it exists and may be read")
            }
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
            guard !text.isEmpty else {
                throw ProgramError(.configuration, "\(key): the file \(path) is empty; write the secret into it")
            }
            return text
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Safe to show: the secret's source, never the secret.
    public var description: String {
        switch self {
        case .literal: "***"
        case .environment(let variable): "env:\(variable)"
        case .file(let path): "file:\(path)"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}

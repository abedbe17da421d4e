import Foundation
import Glibc
import LinuxFiles

/// A secret as the configuration gives it: `env:NAME`, `file:PATH`, `credential:NAME`, or the secret itself.
public enum Secret: Hashable, Sendable {
    case literal(String)
    case environment(variable: String)
    case file(path: String)
    /// A file that the service manager gives a program (systemd's LoadCredential=), or of the same name in
    /// ``credentialsFolder`` where no manager started the program.
    case credential(name: String)

    static let credentialsFolder = "/etc/longshore/credentials"
    private static let bytesMaximum = 64 << 10

    public init(_ text: String) {
        if text.hasPrefix("env:") {
            self = .environment(variable: String(text.dropFirst("env:".count)))
        } else if text.hasPrefix("file:") {
            self = .file(path: String(text.dropFirst("file:".count)))
        } else if text.hasPrefix("credential:") {
            self = .credential(name: String(text.dropFirst("credential:".count)))
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
            guard let text = Self.text(of: path) else {
                throw ProgramError(
                    .configuration, "\(key): cannot read the file \(path); check that it exists and may be read")
            }
            return try Self.filled(text, path, key)
        case .credential(let name):
            let paths = Self.places(ofCredential: name, environment)
            for path in paths {
                if let text = Self.text(of: path) { return try Self.filled(text, path, key) }
                guard access(path, R_OK) != 0, errno == EACCES else { continue }
                throw ProgramError(
                    .configuration,
                    "\(key): this user may not read the credential '\(name)' (\(path)); run the program as root or by its unit, or give "
                        + "the secret as file:PATH to a file that the group may read")
            }
            throw ProgramError(
                .configuration,
                "\(key): there is no credential '\(name)' for this program (\(paths.joined(separator: ", "))); "
                    + "write it to \(Self.credentialsFolder)/\(name), and start the unit again")
        }
    }

    /// systemd puts a name before those of the files of a whole directory; the units of the package say `longshore`.
    private static func places(ofCredential name: String, _ environment: [String: String]) -> [String] {
        guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return [] }
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else { return ["\(credentialsFolder)/\(name)"] }
        return ["\(folder)/\(name)", "\(folder)/longshore_\(name)"]
    }

    private static func text(of path: String) -> String? {
        (try? File.contents(of: path, atMost: bytesMaximum)).map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines)
        }
    }

    private static func filled(_ text: String, _ path: String, _ key: String) throws(ProgramError) -> String {
        guard !text.isEmpty else {
            throw ProgramError(.configuration, "\(key): the file \(path) is empty; write the secret into it")
        }
        return text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Safe to show: the secret's source, never the secret.
    public var description: String {
        switch self {
        case .literal: "***"
        case .environment(let variable): "env:\(variable)"
        case .file(let path): "file:\(path)"
        case .credential(let name): "credential:\(name)"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}

import Foundation
public import Uploads

/// The DEST of a command line: `name:key`, `name:prefix/`, `name:`, `file:///dir/`, `https://host/path`.
public struct DestinationArgument: Hashable, Sendable {
    private enum Base: Hashable { case named(DestinationName), url(path: String, query: String) }

    private let base: Base
    /// The key, or the prefix of keys, at a named destination.
    private let key: String
    /// The key as a template, if it has placeholders.
    private let template: KeyTemplate?

    /// - Throws: `usage` for an invalid text.
    public init(_ text: String) throws(ProgramError) {
        if text.urlScheme != nil {
            if let problem = DestinationReference.problem(url: text) {
                throw ProgramError(.usage, "--to \(DestinationReference.redact(text)): \(problem)")
            }
            let path = text.bytePrefix(upTo: "?", "#")
            base = .url(path: path, query: text.dropping(bytes: path.utf8.count))
            key = ""
            template = nil
            return
        }
        let name = text.bytePrefix(upTo: ":")
        guard name.utf8.count < text.utf8.count else {
            throw ProgramError(
                .usage,
                "--to \(text): expected NAME:KEY, NAME:PREFIX/ or a URL; for the top of a destination use '\(text):'")
        }
        key = text.dropping(bytes: name.utf8.count + 1)
        do throws(UploadError) {
            base = .named(try DestinationName(name))
            template = key.contains("{") || key.contains("}") ? try KeyTemplate(key) : nil
        } catch {
            throw ProgramError(.usage, "--to \(text): \(error.message)")
        }
        if let problem = key.isEmpty ? nil : DestinationReference.problem(key: key) {
            throw ProgramError(.usage, "--to \(text): \(problem)")
        }
    }

    /// Whether it is a prefix to which each file's key is appended, and not the place of one object.
    public var isPrefix: Bool {
        switch base {
        case .named: key.isEmpty || key.hasByteSuffix("/")
        case .url(let path, _): path.hasByteSuffix("/")
        }
    }

    /// Whether each file gets a place of its own, by a prefix or a template.
    var takesMany: Bool { isPrefix || template?.variesByFile == true }

    /// Whether the place depends on the SHA-256 of the file's bytes.
    var needsDigest: Bool { template?.needsDigest == true }

    /// The place of a file.
    /// - Parameters:
    ///   - path: the file's path below the directory that was named; empty for a source without a name.
    ///   - day: today, as in 2026-11-22.
    /// - Throws: `rejected` if the template needs a value that the file does not have.
    func place(of path: String, metadata: [String: String], day: String) throws(UploadError) -> PlannedPlace {
        let suffix = isPrefix ? path : ""
        guard case .named(let name) = base, let template else { return .known(reference(appending: suffix)) }
        let key = try template.filled(path: path, metadata: metadata, day: day).appending(suffix)
        return key.filled { _ in nil }.map { .known(.named(name, key: $0)) } ?? .byDigest(name, key)
    }

    /// What the keys of all files begin with, as far as it is known before the files are.
    func listedPrefix(day: String) -> String {
        if let template { return template.leadingText(day: day) }
        return reference.listedKey ?? ""
    }

    /// The destination's name; nil for a URL.
    public var name: DestinationName? { if case .named(let name) = base { name } else { nil } }

    /// The destination without an appended key.
    var reference: DestinationReference { reference(appending: "") }

    /// The object under an appended key.
    func reference(appending suffix: String) -> DestinationReference {
        switch base {
        case .named(let name): return .named(name, key: key + suffix)
        case .url(let path, let query):
            let encoded = suffix.addingPercentEncoding(withAllowedCharacters: Self.unescaped) ?? suffix
            return .url(path + encoded + query)
        }
    }

    /// Unreserved characters (RFC 3986, section 2.3) and the slash.
    private static let unescaped = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
}

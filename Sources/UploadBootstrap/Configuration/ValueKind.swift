import Foundation
import Logging
import Uploads

/// The kind of a key's value, with its range.
enum ValueKind: Sendable {
    case text
    /// `[a-z0-9_-]{1,64}`.
    case name
    case path
    /// Shown without its password and query.
    case url(schemes: [String])
    /// A path, unless the text begins as a URL with one of the schemes.
    case pathOrURL(schemes: [String])
    /// A ``StagingPlace``.
    case staging
    case secret
    case address
    case choice([String])
    case integer(ClosedRange<Int>)
    case boolean
    /// Seconds.
    case duration(ClosedRange<TimeInterval>)
    /// Seconds, or `off`.
    case durationOrOff(ClosedRange<TimeInterval>)
    case bytes(ClosedRange<Int64>)
    /// May be written as a single value, and with commas on the command line and in the environment.
    indirect case list(ValueKind)

    var isList: Bool { if case .list = self { true } else { false } }

    /// Whether the text is a value of this kind.
    func accepts(_ text: String) -> Bool {
        switch self {
        case .text, .secret, .path, .pathOrURL: !text.isEmpty
        case .staging: !text.isEmpty && StagingPlace(text, path: text) != nil
        case .name: (try? QueueName(text)) != nil
        case .url(let schemes):
            schemes.contains { text.lowercased().hasPrefix($0 + "://") && text.count > $0.count + 3 }
        case .address: HTTPAddress(text) != nil
        case .choice(let words): words.contains(text)
        case .integer(let range): Int(text).map(range.contains) ?? false
        case .boolean: ["true", "false"].contains(text)
        case .duration(let range): Quantity.seconds(text).map(range.contains) ?? false
        case .durationOrOff(let range): text == "off" || Self.duration(range).accepts(text)
        case .bytes(let range): Quantity.bytes(text).map(range.contains) ?? false
        case .list(let kind): kind.accepts(text)
        }
    }

    /// The text behind "expected" in errors.
    var expectation: String {
        switch self {
        case .text: "a text that is not empty"
        case .name: "1 to 64 of the characters a-z, 0-9, '_' and '-'"
        case .path: "a path"
        case .url(let schemes): "a URL that begins with " + Self.either(schemes.map { "\($0)://" })
        case .pathOrURL(let schemes): "a path, or " + Self.url(schemes: schemes).expectation
        case .staging:
            "a path, a destination and a prefix with a slash at its end, such as stage:copies/, or \(StagingPlace.word)"
        case .secret: "env:NAME, file:PATH, credential:NAME or the secret itself"
        case .address: "HOST:PORT, such as 127.0.0.1:9701, or off"
        case .choice(let words): Self.either(words)
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .duration(let range):
            """
            a duration from \(Quantity.text(seconds: range.lowerBound)) to \(Quantity.text(seconds: range.upperBound)), \
            such as 25s, 5m, 2h or 1d
            """
        case .durationOrOff(let range): Self.duration(range).expectation + ", or off"
        case .bytes(let range):
            "a size from \(Quantity.text(bytes: range.lowerBound)) to \(Quantity.text(bytes: range.upperBound)), "
                + "such as 4096, 512KiB or 100MiB"
        case .list(let kind): "\(kind.expectation), or a list of such"
        }
    }

    /// The value without its secret parts.
    func shown(_ text: String) -> String {
        switch self {
        case .secret: Secret(text).description
        case .url: Self.mask(text)
        case .pathOrURL(let schemes):
            Self.url(schemes: schemes).accepts(text) ? Self.mask(text) : text
        case .list(let kind): kind.shown(text)
        default: text
        }
    }

    /// A URL with `***` for its password and its query.
    static func mask(_ url: String) -> String {
        // By bytes, as in `DestinationReference.redact`.
        let bare = url.bytePrefix(upTo: "?", "#")
        var shown = bare
        if let start = bare.utf8.firstRange(of: "://".utf8)?.upperBound {
            let authority = bare.utf8[start...].prefix { $0 != UInt8(ascii: "/") }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")),
                let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":"))
            {
                shown = String(bare[..<colon]) + ":***" + String(bare[at...])
            }
        }
        return bare.utf8.count == url.utf8.count ? shown : shown + "?***"
    }

    private static func either(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.joined() }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

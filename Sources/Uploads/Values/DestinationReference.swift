/// The place where a job's bytes belong: a configured destination with a key, or a URL that needs no configuration.
///
/// JSON: `{"name": "photos", "key": "2026/11/cat.jpg"}` or `{"url": "https://…"}`.
public enum DestinationReference: Hashable, Sendable {
    case named(DestinationName, key: String)
    /// `http(s)://…` (open or pre-signed, then a credential itself) or `file:///…`.
    case url(String)

    /// A bounded word for metrics, routing keys and logs: the name, or the URL's scheme; `url` for a text without one.
    public var label: String {
        switch self {
        case .named(let name, _): name.rawValue
        case .url(let url): Self.scheme(of: url) ?? "url"
        }
    }

    /// - Returns: nil unless the text begins with a scheme (RFC 3986, section 3.1) of at most 32 characters, without dots: a dot would end
    ///   the word of a routing key.
    private static func scheme(of url: String) -> String? {
        let end = url.utf8.prefix(33).firstIndex(of: UInt8(ascii: ":"))
        guard let end, end > url.startIndex else { return nil }
        let scheme = url[..<end].lowercased()
        let isWord = scheme.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        return isWord ? scheme : nil
    }

    /// Whether ``redacted`` is the same.
    var isRedacted: Bool {
        switch self {
        case .named: true
        case .url(let url): Self.redact(url).isExactly(url)
        }
    }

    /// The reference without user, password, query and fragment of a URL, so that it may be shown.
    public var redacted: DestinationReference {
        switch self {
        case .named: self
        case .url(let url): .url(Self.redact(url))
        }
    }

    /// For people: `photos:2026/11/cat.jpg` or the redacted URL.
    public var displayText: String {
        switch redacted {
        case .named(let name, let key): "\(name):\(key)"
        case .url(let url): url
        }
    }

    /// A URL without user, password, query and fragment. A text that is no URL is cut at the first `?` or `#`.
    public static func redact(_ url: String) -> String {
        // By bytes: with a combining mark behind it a delimiter is another character, which a search by characters
        // would miss, and the secret behind it would be shown.
        let bare = url.bytePrefix(upTo: "?", "#")
        guard let authority = bare.utf8.firstRange(of: "://".utf8) else { return bare }
        let rest = bare.utf8[authority.upperBound...]
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard let at = host.lastIndex(of: UInt8(ascii: "@")) else { return bare }
        return String(bare[..<authority.upperBound]) + String(Substring(rest[rest.index(after: at)...]))
    }
}

/// Compared by bytes: see ``ExactText``.
extension DestinationReference {
    public static func == (left: DestinationReference, right: DestinationReference) -> Bool {
        switch (left, right) {
        case (.named(let name, let key), .named(let otherName, let otherKey)):
            name == otherName && key.isExactly(otherKey)
        case (.url(let url), .url(let other)): url.isExactly(other)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .named(let name, let key):
            hasher.combine(name)
            hasher.combine(ExactText(key))
        case .url(let url): hasher.combine(ExactText(url))
        }
    }
}

extension DestinationReference: Codable {
    private enum Key: String, CodingKey { case name, key, url }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let url = try container.decodeTextIfPresent(atMost: WireLimits.pathLengthMaximum, forKey: .url) {
            self = .url(url)
        } else {
            self = .named(
                try container.decode(DestinationName.self, forKey: .name),
                key: try container.decodeText(atMost: WireLimits.pathLengthMaximum, forKey: .key))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .named(let name, let key):
            try container.encode(name, forKey: .name)
            try container.encode(key, forKey: .key)
        case .url(let url):
            try container.encode(url, forKey: .url)
        }
    }
}

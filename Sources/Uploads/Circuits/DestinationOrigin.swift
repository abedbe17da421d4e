/// The unit that fails as a whole: a configured destination, or the host of a URL.
public struct DestinationOrigin: Hashable, Sendable {
    /// The name, or scheme, host and port of a URL.
    public let text: String
    /// Whether the configuration names it, so that it may label a metric.
    public let isNamed: Bool

    /// The scheme of a URL; the name of a configured destination.
    public var scheme: String { text.firstRange(of: "://").map { String(text[..<$0.lowerBound]) } ?? text }

    /// Host and port of a URL; the name of a configured destination.
    public var host: String { text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text }

    /// nil for URLs that share no server (`file:`).
    public init?(_ reference: DestinationReference) {
        switch reference {
        case .named(let name, _):
            text = name.rawValue
            isNamed = true
        case .url:
            guard case .url(let bare) = reference.redacted, let slashes = bare.firstRange(of: "://") else { return nil }
            let host = bare[slashes.upperBound...].prefix { $0 != "/" }
            guard !host.isEmpty else { return nil }
            text = "\(reference.label)://\(host.lowercased())"
            isNamed = false
        }
    }
}

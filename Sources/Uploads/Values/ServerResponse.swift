public import Foundation

/// The destination's answer. It is part of the outcome, because some answers are the only handle to what was stored.
public struct ServerResponse: Codable, Hashable, Sendable {
    /// The most bytes of a body that are kept; the rest is cut off. As text it has at most as many characters.
    public static let bodyBytesMaximum = 65_536

    /// The status code of the destination's protocol, such as 100 to 599 for HTTP; kept between 0 and
    /// ``WireLimits/statusMaximum``.
    public var status: Int
    /// Chosen headers, names in lower case; never a credential or a cookie. Names and values have at most
    /// ``WireLimits/textsBytesMaximum`` bytes together: of more, the last ones by name are left out.
    public var headers: [String: String] { didSet { headers = Self.bounded(headers) } }
    /// The body's first ``bodyBytesMaximum`` bytes as text; bytes that are not UTF-8 are replaced.
    public var body: String? { didSet { body = body?.codePointPrefix(Self.bodyBytesMaximum) } }

    public init(status: Int, headers: [String: String] = [:], body: Data? = nil) {
        self.status = min(max(0, status), WireLimits.statusMaximum)
        self.headers = Self.bounded(headers)
        self.body = body.map { String(decoding: $0.prefix(Self.bodyBytesMaximum), as: UTF8.self) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(0...WireLimits.statusMaximum, forKey: .status)
        headers = try container.decodeTexts(atMost: WireLimits.textsBytesMaximum, forKey: .headers)
        body = try container.decodeTextIfPresent(atMost: Self.bodyBytesMaximum, forKey: .body)
    }

    private static func bounded(_ headers: [String: String]) -> [String: String] {
        func bytes(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count }
        guard headers.reduce(0, { $0 + bytes($1.key, $1.value) }) > WireLimits.textsBytesMaximum else { return headers }
        var left = WireLimits.textsBytesMaximum
        var kept: [String: String] = [:]
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            left -= bytes(name, value)
            guard left >= 0 else { break }
            kept[name] = value
        }
        return kept
    }
}

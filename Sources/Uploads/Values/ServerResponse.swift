public import Foundation

/// What the destination answered: part of the outcome, because some answers are the only handle to what was stored.
public struct ServerResponse: Codable, Hashable, Sendable {
    /// Most of a body that is kept, in bytes; the rest is cut off.
    public static let bodyBytesMaximum = 65_536

    /// The protocol's status, for HTTP 100 to 599; 0 to ``WireLimits/statusMaximum``.
    public var status: Int
    /// Chosen headers, names in lower case; never a credential or a cookie.
    public var headers: [String: String]
    /// The body's first ``bodyBytesMaximum`` bytes as text; bytes that are not UTF-8 are replaced.
    public var body: String?

    public init(status: Int, headers: [String: String] = [:], body: Data? = nil) {
        self.status = min(max(0, status), WireLimits.statusMaximum)
        self.headers = headers
        self.body = body.map { String(decoding: $0.prefix(Self.bodyBytesMaximum), as: UTF8.self) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: try container.decode(0...WireLimits.statusMaximum, forKey: .status),
            headers: try container.decode([String: String].self, forKey: .headers))
        body = try container.decodeIfPresent(String.self, forKey: .body)
    }
}

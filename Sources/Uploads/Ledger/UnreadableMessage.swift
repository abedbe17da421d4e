public import Foundation

/// A dead letter that nobody can read: kept for an operator.
public struct UnreadableMessage: Hashable, Sendable {
    /// Bytes of a body that are kept: 1 MiB.
    public static let bodyBytesMaximum = 1 << 20

    public var at: Date
    public var reason: String
    public var body: Data

    public init(at: Date, reason: String, body: Data) {
        self.at = at
        self.reason = reason
        self.body = body
    }
}

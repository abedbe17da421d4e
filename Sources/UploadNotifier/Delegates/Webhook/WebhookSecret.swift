import Crypto
public import Foundation

/// A key that signs a webhook's requests: `whsec_` and base64 (Standard Webhooks, "Signature scheme"). Never shown, never logged.
public struct WebhookSecret: Codable, Hashable, Sendable {
    /// Bytes of a key according to Standard Webhooks: between 192 and 512 bits.
    public static let bytesRange = 24...64
    static let prefix = "whsec_"

    /// With its prefix.
    public let text: String
    /// The time at which the key stops signing; nil for the current key.
    public var until: Date?

    public init(_ text: String, until: Date? = nil) {
        self.text = text
        self.until = until
    }

    /// 32 bytes from the system's generator.
    public static func generate() -> WebhookSecret {
        let key = SymmetricKey(size: .bits256)
        return WebhookSecret(prefix + key.withUnsafeBytes { Data($0).base64EncodedString() })
    }

    /// The problem with the key, without the key itself; nil: the key is valid.
    var problem: String? {
        guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count)))
        else { return "it must begin with '\(Self.prefix)', and the rest must be base64" }
        guard Self.bytesRange.contains(bytes.count) else {
            return """
                it is \(bytes.count) bytes long and must have \(Self.bytesRange.lowerBound) to \
                \(Self.bytesRange.upperBound); make one: echo \(Self.prefix)$(head -c 32 /dev/urandom | base64)
                """
        }
        return nil
    }

    var key: SymmetricKey {
        SymmetricKey(data: Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) ?? Data())
    }

    func signs(at time: Date) -> Bool { until.map { time < $0 } ?? true }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "***" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["secret": description]) }
}

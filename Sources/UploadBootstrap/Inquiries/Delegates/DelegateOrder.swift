public import Foundation
public import Uploads

/// What `uploadctl delegate` asks about one delegate.
public enum DelegateOrder: Sendable {
    case show(String)
    /// Fields as the API takes them. Without a file of a secret one is made.
    case add(String, [String: JSONValue], secretFile: String?)
    /// A merge patch.
    case change(String, [String: JSONValue])
    /// How long the old secret signs as well, in seconds; nil for as long as is usual.
    case rotateSecret(String, secretFile: String?, overlap: TimeInterval?)
    case remove(String, discards: Bool, isConfirmed: Bool)
}

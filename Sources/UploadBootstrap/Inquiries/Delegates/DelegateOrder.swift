public import Foundation
public import Uploads

/// A request of `uploadctl delegate` about one delegate.
public enum DelegateOrder: Sendable {
    case show(String)
    /// Fields by the API's names for them. Without a file with a secret, the notifier makes a secret.
    case add(String, [String: JSONValue], secretFile: String?)
    /// A JSON merge patch.
    case change(String, [String: JSONValue])
    /// - Parameter overlap: seconds for which the old secret signs as well; nil for the notifier's default.
    case rotateSecret(String, secretFile: String?, overlap: TimeInterval?)
    case remove(String, discards: Bool, isConfirmed: Bool)
}

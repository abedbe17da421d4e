public import Foundation

/// A queue delegate; its queue has the delegate's name.
public struct QueueConfiguration: Hashable, Sendable {
    /// Seconds until a publication without a publisher confirm counts as failed, and is repeated under the same id: 60.
    public var timeout: TimeInterval

    public init(timeout: TimeInterval = 60) { self.timeout = timeout }
}

public import Foundation

/// A queue delegate: its queue is named for it, so there is little to say.
public struct QueueConfiguration: Hashable, Sendable {
    /// Seconds until a publication that the broker has not confirmed has failed, and is repeated under the same id: 60.
    public var timeout: TimeInterval

    public init(timeout: TimeInterval = 60) { self.timeout = timeout }
}

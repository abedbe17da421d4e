import Synchronization

/// A value that tasks share.
public final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    public init(_ value: Value) { state = Mutex(value) }

    public var value: Value { state.withLock { $0 } }

    public func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}

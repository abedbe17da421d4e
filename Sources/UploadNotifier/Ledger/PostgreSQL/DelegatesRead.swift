import Synchronization

/// Which change of the registered delegates a notifier has read last.
final class DelegatesRead: Sendable {
    private let change = Mutex<Int64?>(nil)

    /// nil: it has read none yet.
    var last: Int64? { change.withLock(\.self) }

    func note(_ read: Int64?) { change.withLock { $0 = read } }

    /// Notes a change of this notifier's own. If another notifier has made one in between, that is still to be read.
    func noteOwn(_ made: Int64) { change.withLock { if $0 == made - 1 { $0 = made } } }
}

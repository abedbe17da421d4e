import Synchronization

/// The access that is valid now: another one when the configuration was read anew.
final class CurrentAccess: Sendable {
    private let access: Mutex<APIAccess>

    init(_ access: APIAccess) { self.access = Mutex(access) }

    var value: APIAccess { access.withLock { $0 } }

    func replace(with new: APIAccess) { access.withLock { $0 = new } }
}

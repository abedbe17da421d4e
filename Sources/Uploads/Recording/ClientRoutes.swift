/// The routes to the apps whose managers have jobs here, by their identifiers. An app that is not registered yet is registered in the
/// same transaction, so that no registration can be lost or come too late.
package struct ClientRoutes {
    /// The most apps that are registered: each has a queue on the broker, and a loop that fills it.
    package static let clientCountMaximum = 1000

    private var routes: [String: DeliveryRoute] = [:]
    /// Apps that cannot be registered.
    private var refused: Set<String> = []

    /// - Parameter served: the routes of the delegates that are served.
    init(_ served: [DeliveryRoute]) {
        for route in served where ClientDelegate.isName(route.delegate) {
            if let client = route.filter.client { routes[client] = route }
        }
    }

    /// - Returns: nil for an app that cannot be registered: there are too many, its identifier is not valid, or it is just being removed.
    mutating func route(
        of client: String, in store: any LedgerStore, _ changes: inout LedgerChanges
    ) throws -> DeliveryRoute? {
        if let known = routes[client] { return known }
        guard !refused.contains(client), let name = ClientDelegate.name(of: client),
            try register(client, as: name, in: store, &changes)
        else {
            refused.insert(client)
            return nil
        }
        let route = DeliveryRoute(delegate: name, filter: DeliveryFilter(client: client))
        routes[client] = route
        return route
    }

    /// - Returns: whether the app is registered now.
    private func register(
        _ client: String, as name: String, in store: any LedgerStore, _ changes: inout LedgerChanges
    ) throws -> Bool {
        switch try store.registration(of: name) {
        case .registered: return true
        // While the deliveries of a removed delegate are deleted, no new ones are added.
        case .removed: return false
        case .unknown: break
        }
        let count = try store.registrationCount(prefix: ClientDelegate.prefix).addingSaturating(changes.apps.count)
        guard count < Self.clientCountMaximum else { return false }
        changes.apps[name] = client
        return true
    }
}

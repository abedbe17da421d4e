import Foundation
import GRDB
import Uploads

/// The routes to the apps whose managers have jobs here, by their identifiers. An app that is not registered yet is registered in the
/// same transaction, so that no registration can be lost or come too late.
struct ClientRoutes {
    /// The most apps that are registered: each has a queue on the broker, and a loop that fills it.
    static let clientCountMaximum = 1000

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
    mutating func route(of client: String, at time: Date, in db: Database) throws -> DeliveryRoute? {
        if let known = routes[client] { return known }
        guard !refused.contains(client), let definition = DelegateDefinition(client: client),
            let name = ClientDelegate.name(of: client), try register(name, definition, at: time, in: db)
        else {
            refused.insert(client)
            return nil
        }
        let route = try DeliveryRoute(
            delegate: name, filter: definition.configuration(named: name, addresses: nil).filter)
        routes[client] = route
        return route
    }

    /// - Returns: whether the app is registered now.
    private func register(_ name: String, _ definition: DelegateDefinition, at time: Date, in db: Database) throws
        -> Bool
    {
        if let row = try Row.fetchOne(db, sql: "SELECT removed FROM registered WHERE name = ?", arguments: [name]) {
            // While the deliveries of a removed delegate are deleted, no new ones are added.
            return row["removed"] as Double? == nil
        }
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM registered WHERE substr(name, 1, ?) = ?",
            arguments: [ClientDelegate.prefix.count, ClientDelegate.prefix])
        guard count ?? 0 < Self.clientCountMaximum else { return false }
        let now = time.timeIntervalSince1970
        try db.execute(
            sql: "INSERT INTO registered (name, definition, created, changed) VALUES (?, ?, ?, ?)",
            arguments: [name, try WireJSON.encode(definition), now, now])
        return true
    }
}

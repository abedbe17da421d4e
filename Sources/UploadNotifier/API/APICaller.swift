import Uploads

/// Who sends a request, by its token and its connection.
struct APICaller: Hashable, Sendable {
    /// The way in which the caller came, for orders that no token names.
    enum Way: String, Sendable {
        case api, dashboard
    }

    /// The token's name; nil where no token is needed.
    var name: String?
    var role = APIRole.administer
    /// The transfer queues whose jobs the caller may change; nil for all.
    var queues: Set<String>?
    var way = Way.api
    /// The IP address of the connection's other end.
    var address: String?
    /// The address for which a proxy on this host says that it forwards the request.
    var forwardedFor: String?

    /// No token is needed.
    init(_ way: Way) { self.way = way }

    init(_ token: APIToken, _ way: Way) {
        name = token.name
        role = token.role
        queues = token.queues
        self.way = way
    }

    /// Who gives an order and from where, as the ledger keeps it: `jo from 203.0.113.7`.
    /// - Parameter given: the name that the caller gives itself, such as `jo@host`.
    func by(_ given: String? = nil) -> String {
        let place = address.map { " from \($0)" } ?? ""
        let origin = forwardedFor.map { " for \($0)" } ?? ""
        guard let name else { return (given ?? way.rawValue) + place + origin }
        return name + place + origin + (given.map { " as \($0)" } ?? "")
    }

    /// - Throws: `notAllowed` where the token's role is a lower one.
    func check(_ needed: APIRole) throws(APIProblem) {
        guard role < needed else { return }
        throw APIProblem(
            .notAllowed, "the token '\(name ?? "")' has the role '\(role.rawValue)'; this needs '\(needed.rawValue)'")
    }

    /// - Throws: `notAllowed` where the token is limited to other transfer queues.
    func check(_ queue: QueueName) throws(APIProblem) {
        guard let queues, !queues.contains(queue.rawValue) else { return }
        throw APIProblem(.notAllowed, "\(limit), and this concerns queue \(queue)")
    }

    /// - Throws: `notAllowed` where the token is limited to some transfer queues.
    func checkWholePool() throws(APIProblem) {
        guard queues != nil else { return }
        throw APIProblem(.notAllowed, "\(limit), and this concerns the whole pool")
    }

    private var limit: String {
        "the token '\(name ?? "")' may change only jobs of \((queues ?? []).sorted().joined(separator: ", "))"
    }
}

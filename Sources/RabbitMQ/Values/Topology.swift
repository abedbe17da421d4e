/// Exchanges, queues and bindings, declared in this order. Declaring is idempotent.
public struct Topology: Hashable, Sendable {
    public var exchanges: [Exchange]
    public var queues: [Queue]
    public var bindings: [Binding]

    public init(exchanges: [Exchange] = [], queues: [Queue] = [], bindings: [Binding] = []) {
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
    }

    /// Both, with equal objects once; of two objects with one name the right one counts.
    public static func + (left: Topology, right: Topology) -> Topology {
        var merged = left
        for exchange in right.exchanges {
            merged.exchanges.removeAll { $0.name == exchange.name }
            merged.exchanges.append(exchange)
        }
        for queue in right.queues {
            merged.queues.removeAll { $0.name == queue.name }
            merged.queues.append(queue)
        }
        let known = Set(left.bindings)
        merged.bindings += right.bindings.filter { !known.contains($0) }
        return merged
    }

    public static func += (left: inout Topology, right: Topology) { left = left + right }

    /// The objects that are not in `other` in exactly the same form.
    func without(_ other: Topology) -> Topology {
        let known = (Set(other.exchanges), Set(other.queues), Set(other.bindings))
        return Topology(
            exchanges: exchanges.filter { !known.0.contains($0) }, queues: queues.filter { !known.1.contains($0) },
            bindings: bindings.filter { !known.2.contains($0) })
    }

    /// The rest after the objects of `other` are deleted; bindings from or to a deleted object go with it.
    func removing(_ other: Topology) -> Topology {
        let exchangeNames = Set(other.exchanges.map(\.name))
        let queueNames = Set(other.queues.map(\.name))
        let unbound = Set(other.bindings)
        return Topology(
            exchanges: exchanges.filter { !exchangeNames.contains($0.name) },
            queues: queues.filter { !queueNames.contains($0.name) },
            bindings: bindings.filter { binding in
                if unbound.contains(binding) || exchangeNames.contains(binding.source) { return false }
                return switch binding.destination {
                case .queue(let name): !queueNames.contains(name)
                case .exchange(let name): !exchangeNames.contains(name)
                }
            })
    }
}

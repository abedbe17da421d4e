/// Several private nodes that form one broker.
public final class BrokerCluster: Sendable {
    public let nodes: [BrokerNode]

    /// The URLs as a YAML list, in the order of the nodes.
    public var urls: String { "[\(nodes.map(\.url).joined(separator: ", "))]" }

    /// Starts nodes that form a cluster. The test must stop them at its end.
    public static func start(_ count: Int = 3, configuration: String = "") async throws -> BrokerCluster {
        let first = try await BrokerNode.start(configuration: configuration)
        // The nodes join at the same time; RabbitMQ serializes that.
        let others = await withTaskGroup(of: Result<BrokerNode, any Error>.self) { group in
            for _ in 1..<count {
                group.addTask {
                    do {
                        return .success(try await BrokerNode.start(configuration: configuration, joining: first))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let cluster = BrokerCluster([first] + others.compactMap { try? $0.get() })
        do {
            for other in others { _ = try other.get() }
            try await first.ctl("await_online_nodes", "\(count)")
            return cluster
        } catch {
            try? await cluster.stop()
            throw error
        }
    }

    private init(_ nodes: [BrokerNode]) { self.nodes = nodes }

    /// The node that leads a quorum queue.
    /// - Parameter asking: a running node.
    public func leader(of queue: String, asking: BrokerNode) async throws -> BrokerNode {
        let rows = try await asking.ctl("list_queues", "name", "leader")
        let row = rows.split(separator: "\n").map { $0.split(separator: "\t") }.first { $0.first == queue[...] }
        guard let name = row?.last, let node = nodes.first(where: { $0.name == name }) else {
            throw DidNotHappen("no node leads \(queue): \(rows)")
        }
        return node
    }

    /// Kills the nodes, because their data are not needed any more. The first one stops last: the others register with its port mapper.
    public func stop() async throws {
        for node in nodes { try await node.kill() }
        for node in nodes.reversed() { try await node.stop() }
    }
}

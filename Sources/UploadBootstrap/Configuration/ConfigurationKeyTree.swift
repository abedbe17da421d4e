/// A list of keys by the components of their paths: what a path is, is found by looking at its own components, not at all keys.
struct ConfigurationKeyTree: Sendable {
    private struct Node {
        /// Of the key that ends here, in the list.
        var index: Int?
        /// By name, `*` among them.
        var children: [String: Int] = [:]
    }

    private var nodes = [Node()]

    init(_ keys: [ConfigurationKey]) {
        for (index, key) in keys.enumerated() {
            var node = 0
            for component in key.components {
                if let child = nodes[node].children[component] {
                    node = child
                } else {
                    nodes.append(Node())
                    nodes[node].children[component] = nodes.count - 1
                    node = nodes.count - 1
                }
            }
            if nodes[node].index == nil { nodes[node].index = index }
        }
    }

    /// Where the key of a path such as `destinations.photos.driver` stands in the list.
    func index(of path: [String]) -> Int? { reached(by: path).compactMap { nodes[$0].index }.min() }

    /// The names that may stand below a path; `*` is any.
    func names(below path: [String]) -> Set<String> {
        reached(by: path).reduce(into: []) { $0.formUnion(nodes[$1].children.keys) }
    }

    private func reached(by path: [String]) -> [Int] {
        path.reduce([0]) { reached, name in
            reached.flatMap { node in [name, "*"].compactMap { nodes[node].children[$0] } }
        }
    }
}

/// The list of keys as a tree of their paths' components: finding a path's key costs as many steps as the path has components.
struct ConfigurationKeyTree: Sendable {
    private struct Node {
        /// The position in the list of the key that ends here.
        var index: Int?
        /// Children by name, `*` included.
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

    /// The position in the list of the key of a path such as `destinations.photos.driver`.
    func index(of path: [String]) -> Int? { reached(by: path).compactMap { nodes[$0].index }.min() }

    /// The names that may appear below a path; `*` means any name.
    func names(below path: [String]) -> Set<String> {
        reached(by: path).reduce(into: []) { $0.formUnion(nodes[$1].children.keys) }
    }

    private func reached(by path: [String]) -> [Int] {
        path.reduce([0]) { reached, name in
            reached.flatMap { node in [name, "*"].compactMap { nodes[node].children[$0] } }
        }
    }
}

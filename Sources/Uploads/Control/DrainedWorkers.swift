/// The workers that operators have drained, in the order in which they were drained.
///
/// A worker that has ended leaves its name behind, because no worker says reliably that it ends. So only the latest
/// ``countMaximum`` names are kept: one more drain forgets the oldest, and a worker that still had this name would take jobs
/// again. All readers of the control log forget the same name at the same place.
public struct DrainedWorkers: Hashable, Sendable {
    /// The most names that are kept.
    public static let countMaximum = 1000

    /// The one that was drained first comes first.
    public private(set) var names: [String] = []
    private var known: Set<String> = []

    public init() {}

    /// - Parameter names: in the order in which they were drained.
    init(_ names: [String]) { for name in names { drain(name) } }

    public func contains(_ name: String) -> Bool { known.contains(name) }

    /// A worker that is drained already keeps its place.
    mutating func drain(_ name: String) {
        guard known.insert(name).inserted else { return }
        names.append(name)
        if names.count > Self.countMaximum { known.remove(names.removeFirst()) }
    }

    mutating func resume(_ name: String) {
        guard known.remove(name) != nil else { return }
        names.removeAll { $0 == name }
    }
}

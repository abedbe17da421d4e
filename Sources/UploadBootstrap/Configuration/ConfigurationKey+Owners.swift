extension ConfigurationKey {
    /// A key of a destination, by its path below the destination's name: `limits.jobs`. All programs use the keys of drivers: the worker to
    /// upload, the notifier to sweep, `enqueue-upload --changed` to compare, and `uploadctl destination test` to try a destination out.
    static func destination(
        _ path: String, _ kind: ValueKind, standard: String? = nil, standards: [String: String] = [:],
        for programs: Set<ProgramName> = Set(ProgramName.allCases), _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            "destinations.*.\(path)", kind, standard: standard, standards: standards, for: programs, isReloaded: true,
            summary)
    }

    /// A key of a delegate, by its path below the delegate's name: `fields.*`.
    static func delegate(
        _ path: String, _ kind: ValueKind, standard: String? = nil, standards: [String: String] = [:],
        for programs: Set<ProgramName> = [.uploadNotifier], _ summary: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            "delegates.*.\(path)", kind, standard: standard, standards: standards, for: programs, isReloaded: true,
            summary)
    }

    /// The keys of all drivers of destinations, or of all kinds of delegates, each with its owners: first the shared ones, then those of one
    /// owner alone.
    /// - Parameter owners: the word of each driver or kind, with all keys that it has.
    static func owned(
        shared: [ConfigurationKey], _ owners: [(word: String, keys: [ConfigurationKey])]
    ) -> [ConfigurationKey] {
        let sharedPaths = Set(shared.map(\.path))
        return shared.map { key in
            key.owned(by: owners.filter { $0.keys.contains { $0.path == key.path } }.map(\.word))
        }
            + owners.flatMap { owner in
                owner.keys.filter { !sharedPaths.contains($0.path) }.map { $0.owned(by: [owner.word]) }
            }
    }
}

/// The page *Configuration* of the documentation, made of the keys that the programs check with: a pure rendering.
enum ConfigurationReference {
    /// The page as Markdown.
    static var page: String {
        ([head] + sections.map(\.text)).joined(separator: "\n\n") + "\n"
    }

    private struct Section {
        var heading: String
        var introduction: String?
        var keys: [ConfigurationKey]
        /// The heading of a column with the keys' owners.
        var ownerTitle: String?
        /// The only owner of the keys.
        var owner: String?

        var text: String {
            var parts = [heading]
            let isUniform = Set(keys.map(\.programs)).count == 1 && Set(keys.map(\.change)).count == 1
            let sentences = [introduction, isUniform ? keys.first.map(ConfigurationReference.uses) : nil]
            let prose = sentences.compactMap(\.self).joined(separator: " ")
            if !prose.isEmpty { parts.append(prose) }
            if !keys.isEmpty { parts.append(table(hasPrograms: !isUniform)) }
            return parts.joined(separator: "\n\n")
        }

        private func table(hasPrograms: Bool) -> String {
            var titles = ["key, variable, flag"]
            if let ownerTitle { titles.append(ownerTitle) }
            titles += ["value", "default"]
            if hasPrograms { titles += ["programs", "a change counts"] }
            titles.append("meaning")
            let rows = keys.map { key in
                var cells = [ConfigurationReference.names(of: key)]
                if ownerTitle != nil { cells.append(key.owners.joined(separator: ", ")) }
                cells += [key.kind.notation, ConfigurationReference.standard(of: key, owner: owner)]
                if hasPrograms {
                    cells += [ConfigurationReference.programs(of: key), ConfigurationReference.change(of: key)]
                }
                cells.append(key.summary.replacing("|", with: "\\|").replacing("*", with: "\\*"))
                return cells
            }
            return ([titles, titles.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
                .joined(separator: "\n")
        }
    }

    private static var sections: [Section] {
        [
            Section(heading: "## The broker and the namespace", keys: ConfigurationKey.broker),
            Section(heading: "## Files", keys: ConfigurationKey.files),
            Section(heading: "## The log", keys: ConfigurationKey.logs),
            Section(heading: "## The worker", keys: ConfigurationKey.worker),
            Section(heading: "## The notifier and its API", keys: ConfigurationKey.notifier),
            Section(
                heading: "## Tokens of the API",
                introduction: """
                    `*` is the token's name, under which the orders of its holder are kept, NAME in a variable (<doc:HTTPAPI>, "Access").
                    """, keys: ConfigurationKey.tokens),
            Section(
                heading: "## Destinations",
                introduction: """
                    `*` is the destination's name, NAME in a variable. These keys belong to every destination; then come those of several \
                    drivers, and those of one driver. The pages of the drivers explain their use: <doc:Drivers>. The worker needs the keys of \
                    drivers to upload, the notifier to sweep, `enqueue-upload --changed` to compare, and `uploadctl destination test` to \
                    try a destination out.
                    """, keys: ConfigurationKey.destinations),
        ]
            + owned(
                "### Keys of several drivers", "drivers", DestinationDrivers.keys, names: DestinationDrivers.names,
                what: "driver")
            + [
                Section(
                    heading: "## Delegates",
                    introduction: """
                        `*` is the delegate's name, NAME in a variable. These keys belong to every delegate; then come those of several \
                        kinds, and those of one kind (<doc:Delegates>).
                        """, keys: ConfigurationKey.delegates)
            ]
            + owned(
                "### Keys of several kinds", "kinds", DelegateKinds.keys, names: DelegateKinds.names, what: "kind")
    }

    /// The sections of the keys that have owners: the keys of several first, then those of each.
    private static func owned(
        _ heading: String, _ ownerTitle: String, _ keys: [ConfigurationKey], names: [String], what: String
    ) -> [Section] {
        let shared = keys.filter { $0.owners.count > 1 }
        let own = names.map { name in
            let others = shared.filter { $0.owners.contains(name) }.map {
                "`\($0.components.dropFirst(2).joined(separator: "."))`"
            }
            return Section(
                heading: "### Keys of the \(what) \(name)",
                introduction: others.isEmpty ? nil : "Of those above it has \(others.joined(separator: ", ")).",
                keys: keys.filter { $0.owners == [name] }, owner: name)
        }
        return [Section(heading: heading, keys: shared, ownerTitle: ownerTitle)] + own
    }

    /// The key, its variable and its flag, each of which a reader may look for.
    private static func names(of key: ConfigurationKey) -> String {
        var names = ["`\(key.path)`"]
        var components = key.components
        if components.count > 2, components[1] == "*" { components[1] = "NAME" }
        if !components.contains("*") { names.append("`\(ConfigurationKey.variable(components))`") }
        if let flag = key.flag { names.append("`\(flag)`") }
        return names.joined(separator: " ")
    }

    private static func standard(of key: ConfigurationKey, owner: String?) -> String {
        if let name = ConfigurationInput.stateNames[key.path] { return "`STATE/\(name)`" }
        if let owner { return key.standard(of: owner).map { "`\($0)`" } ?? "" }
        let owners = key.owners.filter { key.standard(of: $0) != nil }
        let values = owners.reduce(into: [String]()) { values, owner in
            if let value = key.standard(of: owner), !values.contains(value) { values.append(value) }
        }
        guard values.count > 1 || owners.count < key.owners.count && !values.isEmpty else {
            return (values.first ?? key.standard).map { "`\($0)`" } ?? ""
        }
        return values.map { value in
            let its = owners.filter { key.standard(of: $0) == value }
            return "`\(value)` (\(its.joined(separator: ", ")))"
        }.joined(separator: ", ")
    }

    private static func programs(of key: ConfigurationKey) -> String {
        let names = ProgramName.allCases.filter(key.programs.contains).map(\.rawValue)
        return names.count == ProgramName.allCases.count ? "all" : names.joined(separator: ", ")
    }

    private static func change(of key: ConfigurationKey) -> String {
        switch key.change {
        case .reload: "on SIGHUP"
        case .start: "at the next start"
        case .command: "for the next command"
        }
    }

    /// The sentence about the programs, and when a change counts, where both are the same for all keys of a table.
    private static func uses(of key: ConfigurationKey) -> String {
        let programs = programs(of: key)
        let readers = programs == "all" ? "All programs use these keys." : "Used by \(programs)."
        return "\(readers) A change counts \(change(of: key))."
    }
}

/// One key of the configuration, with everything that the programs know about it.
struct ConfigurationKey: Sendable {
    /// With `*` for a name that the user gives: `worker.slice`, `destinations.*.limits.jobs`.
    let path: String
    /// The path's parts between the dots.
    let components: [String]
    let kind: ValueKind
    /// The default; nil: none.
    let standard: String?
    let flag: String?
    let summary: String
    /// The drivers of destinations, or kinds of delegates, that have the key; empty: all.
    let owners: [String]

    init(
        _ path: String, _ kind: ValueKind, standard: String? = nil, flag: String? = nil, owners: [String] = [],
        _ summary: String
    ) {
        self.path = path
        components = path.split(separator: ".").map(String.init)
        self.kind = kind
        self.standard = standard
        self.flag = flag
        self.summary = summary
        self.owners = owners
    }

    /// `UPLOAD_NOTIFIER_ALLOW_NETWORKS` for `notifier.allowNetworks`; `-` becomes `_`.
    static func variable(_ path: [String]) -> String {
        // Without a regular expression: every program calls this for every key when it starts.
        var name = "UPLOAD"
        for component in path {
            var isBehindSmall = false
            name += "_"
            for character in component {
                if isBehindSmall, ("A"..."Z").contains(character) { name += "_" }
                name += character == "-" ? "_" : character.uppercased()
                isBehindSmall = ("a"..."z").contains(character)
            }
        }
        return name
    }
}

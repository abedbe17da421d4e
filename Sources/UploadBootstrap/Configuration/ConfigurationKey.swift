/// One key of the configuration: everything about it that is said anywhere is said here.
struct ConfigurationKey: Sendable {
    /// With `*` for a name that the user gives: `worker.slice`, `destinations.*.limits.jobs`.
    let path: String
    /// What its dots part.
    let components: [String]
    let kind: ValueKind
    /// nil where there is none.
    let standard: String?
    let flag: String?
    let summary: String
    /// Of which drivers of a destination, or kinds of a delegate, it is; none for all.
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
        // Without a regular expression: every program asks for every key as it starts.
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

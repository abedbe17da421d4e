/// One key of the configuration, with everything that the programs and the page *Configuration* know about it.
struct ConfigurationKey: Sendable {
    /// When a changed value counts. The commands `enqueue-upload` and `uploadctl` read the configuration each time that they run.
    enum Change: Sendable {
        /// A running worker or notifier takes the new value on SIGHUP.
        case reload
        /// A worker or a notifier reads the key when it starts.
        case start
        /// Only commands read the key.
        case command
    }

    /// With `*` for a name that the user gives: `worker.slice`, `destinations.*.limits.jobs`.
    let path: String
    /// The path's parts between the dots.
    let components: [String]
    let kind: ValueKind
    /// The default; nil: none.
    let standard: String?
    /// The defaults of single owners, where these differ from ``standard``.
    let standards: [String: String]
    let flag: String?
    let summary: String
    /// The drivers of destinations, or kinds of delegates, that have the key; empty: all.
    let owners: [String]
    /// The programs that use the key's value.
    let programs: Set<ProgramName>
    private let isReloaded: Bool

    init(
        _ path: String, _ kind: ValueKind, standard: String? = nil, standards: [String: String] = [:],
        flag: String? = nil, owners: [String] = [], for programs: Set<ProgramName> = Set(ProgramName.allCases),
        isReloaded: Bool = false, _ summary: String
    ) {
        self.path = path
        components = path.split(separator: ".").map(String.init)
        self.kind = kind
        self.standard = standard
        self.standards = standards
        self.flag = flag
        self.summary = summary
        self.owners = owners
        self.programs = programs
        self.isReloaded = isReloaded
    }

    /// The same key with its owners.
    func owned(by owners: [String]) -> ConfigurationKey {
        ConfigurationKey(
            path, kind, standard: standard, standards: standards, flag: flag, owners: owners, for: programs,
            isReloaded: isReloaded, summary)
    }

    var change: Change {
        if programs.isDisjoint(with: [.uploadWorker, .uploadNotifier]) { return .command }
        return isReloaded ? .reload : .start
    }

    /// The default that the key has with an owner; nil: none.
    func standard(of owner: String) -> String? { standards[owner] ?? standard }

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

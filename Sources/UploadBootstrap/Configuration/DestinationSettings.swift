public import Uploads

/// A destination as the configuration names it.
public struct DestinationSettings: Hashable, Sendable {
    /// The drivers that this version has.
    static let drivers = ["directory", "http", "s3", "tus"]

    public enum Driver: Hashable, Sendable {
        case directory(path: String)
        case http(HTTPSettings)
        case s3(S3Settings)
        case tus(TusSettings)

        /// The word in the configuration.
        var name: String {
            switch self {
            case .directory: "directory"
            case .http: "http"
            case .s3: "s3"
            case .tus: "tus"
            }
        }
    }

    public struct HTTPSettings: Hashable, Sendable {
        /// Ends in `/`, and keys are appended; of tus the creation endpoint.
        public var url: String
        /// Whether HEAD tells what lies there.
        public var answersHead: Bool
        public var username: String?
        public var password: Secret?
        public var bearerToken: Secret?
        public var headers: [String: Secret]
        public var caFile: String?
        /// The URL of an HTTP proxy.
        public var proxy: String?
        /// nil is 60.
        public var answerSeconds: Double?
        /// nil is 60.
        public var stallSeconds: Double?
    }

    public var name: DestinationName
    public var driver: Driver
    public var limits: TransferLimits
    /// Whether jobs may read from it.
    public var isSource: Bool
    /// For jobs that say nothing of it themselves; nil: as usual.
    public var retry: RetryPolicy?

    /// - Throws: `configuration` for a key that is missing or belongs to another driver.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let base = "destinations.\(name)"
        self.name = DestinationName(unchecked: name)
        let kind = try settings.owned(base, by: "driver", words: Self.drivers)
        limits = TransferLimits(
            jobs: settings.integer("\(base).limits.jobs"), parts: settings.integer("\(base).limits.parts"),
            bytesPerSecond: settings.bytes("\(base).limits.bytesPerSecond"),
            requestsPerSecond: settings.integer("\(base).limits.requestsPerSecond"))
        isSource = settings.text("\(base).source") == "true"
        retry = settings.retry("\(base).retry")
        if kind == "directory" {
            driver = .directory(path: try settings.needed("\(base).path", settings.path))
            return
        }
        if kind == "s3" {
            driver = .s3(try S3Settings(base, settings))
            return
        }
        if kind == "tus" {
            driver = .tus(try TusSettings(base, settings))
            return
        }
        let http = try HTTPSettings(base, settings)
        guard http.url.hasSuffix("/"), !http.url.contains("?") else {
            throw ProgramError(
                .configuration, "\(settings.place("\(base).url")): expected a URL that ends in '/' and has no query")
        }
        driver = .http(http)
    }
}

extension DestinationSettings.HTTPSettings {
    /// - Throws: `configuration` when there is no URL.
    init(_ base: String, _ settings: Settings) throws(ProgramError) {
        self.init(
            url: try settings.needed("\(base).url", settings.text),
            answersHead: settings.text("\(base).answersHead") == "true",
            username: settings.text("\(base).username"),
            password: settings.secret("\(base).password"),
            bearerToken: settings.secret("\(base).bearerToken"),
            headers: settings.secrets(below: "\(base).headers"), caFile: settings.path("\(base).caFile"),
            proxy: settings.text("\(base).proxy"), answerSeconds: settings.seconds("\(base).answerTimeout"),
            stallSeconds: settings.seconds("\(base).stallTimeout"))
    }
}

extension Settings {
    /// The entries of a section whose names the user gives.
    func secrets(below section: String) -> [String: Secret] {
        entries(below: section) { self.secret($0) }
    }

    func texts(below section: String) -> [String: String] {
        entries(below: section) { self.text($0) }
    }

    private func entries<Value>(below section: String, _ value: (String) -> Value?) -> [String: Value] {
        let prefix = section + "."
        return values.keys.filter { $0.hasPrefix(prefix) }.reduce(into: [:]) { entries, path in
            entries[String(path.dropFirst(prefix.count))] = value(path)
        }
    }

    /// nil unless at least one of its keys is there; the others are as usual.
    fileprivate func retry(_ base: String) -> RetryPolicy? {
        guard ["maxAttempts", "maxAge", "base", "cap"].contains(where: { values["\(base).\($0)"] != nil }) else {
            return nil
        }
        let usual = RetryPolicy()
        return RetryPolicy(
            maxAttempts: integer("\(base).maxAttempts") ?? usual.maxAttempts,
            maxAge: seconds("\(base).maxAge") ?? usual.maxAge, base: seconds("\(base).base") ?? usual.base,
            cap: seconds("\(base).cap") ?? usual.cap)
    }

    /// A value that must be there.
    func needed(_ path: String, _ value: (String) -> String?) throws(ProgramError) -> String {
        if let value = value(path) { return value }
        let section = path.split(separator: ".").dropLast().joined(separator: ".")
        throw ProgramError(
            .configuration, "\(sectionPlace(section)): '\(path.split(separator: ".").last ?? "")' is missing")
    }

    /// The driver or kind of an entry, once it is sure that all its keys are of that driver.
    func owned(_ base: String, by key: String, words: [String]) throws(ProgramError) -> String {
        let owner = try needed("\(base).\(key)", text)
        for path in values.keys.sorted() where path.hasPrefix(base + ".") {
            let found = ConfigurationKey.find(path.split(separator: ".").map(String.init))
            let others = found?.owners ?? []
            guard others.isEmpty || others.contains(owner) else {
                throw ProgramError(
                    .configuration,
                    "\(place(path)): is no key of \(key) '\(owner)' (but of '\(others.joined(separator: "', '"))'); remove it"
                )
            }
        }
        return owner
    }

    /// A section and where its first value stands.
    private func sectionPlace(_ section: String) -> String {
        let first = values.filter { $0.key.hasPrefix(section + ".") }.map(\.value.origin).min { left, right in
            guard case .file(_, let a) = left, case .file(_, let b) = right else { return false }
            return a < b
        }
        return first.map { "\($0): \(section)" } ?? section
    }
}

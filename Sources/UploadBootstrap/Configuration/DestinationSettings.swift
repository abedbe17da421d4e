public import Uploads

/// A destination as the configuration names it.
public struct DestinationSettings: Hashable, Sendable {
    /// The drivers that this version has.
    static let drivers = ["directory", "http"]

    public enum Driver: Hashable, Sendable {
        case directory(path: String)
        case http(HTTPSettings)
    }

    public struct HTTPSettings: Hashable, Sendable {
        /// Ends in `/`; keys are appended.
        public var url: String
        /// Whether HEAD tells what lies there.
        public var answersHead: Bool
        public var username: String?
        public var password: Secret?
        public var bearerToken: Secret?
        public var headers: [String: Secret]
        public var caFile: String?
    }

    public var name: DestinationName
    public var driver: Driver
    public var limits: TransferLimits

    /// - Throws: `configuration` for a key that is missing or belongs to another driver.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let base = "destinations.\(name)"
        self.name = DestinationName(unchecked: name)
        let kind = try settings.owned(base, by: "driver", words: Self.drivers)
        limits = TransferLimits(
            jobs: settings.integer("\(base).limits.jobs"), parts: settings.integer("\(base).limits.parts"))
        if kind == "directory" {
            driver = .directory(path: try settings.needed("\(base).path", settings.path))
            return
        }
        let url = try settings.needed("\(base).url", settings.text)
        guard url.hasSuffix("/"), !url.contains("?") else {
            throw ProgramError(
                .configuration, "\(settings.place("\(base).url")): expected a URL that ends in '/' and has no query")
        }
        driver = .http(
            HTTPSettings(
                url: url, answersHead: settings.text("\(base).answersHead") == "true",
                username: settings.text("\(base).username"),
                password: settings.secret("\(base).password"),
                bearerToken: settings.secret("\(base).bearerToken"),
                headers: settings.headers(base), caFile: settings.path("\(base).caFile")))
    }
}

extension Settings {
    fileprivate func headers(_ base: String) -> [String: Secret] {
        let prefix = "\(base).headers."
        return values.keys.filter { $0.hasPrefix(prefix) }.reduce(into: [:]) { headers, path in
            headers[String(path.dropFirst(prefix.count))] = secret(path)
        }
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
            if let other = found?.owner, other != owner {
                throw ProgramError(
                    .configuration, "\(place(path)): is no key of \(key) '\(owner)' (but of '\(other)'); remove it")
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

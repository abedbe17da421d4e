public import Foundation
public import Uploads

/// A destination as the configuration names it.
public struct DestinationSettings: Hashable, Sendable {
    /// The drivers that this version has.
    static let drivers = ["bridge", "directory", "http", "presigned", "resumable", "s3", "tus", "webdav"]

    public enum Driver: Hashable, Sendable {
        case bridge(BridgeSettings)
        case directory(path: String, requiresMount: Bool = false, marker: String? = nil)
        case http(HTTPSettings)
        case presigned(PresignedSettings)
        case resumable(ResumableSettings)
        case s3(S3Settings)
        case tus(TusSettings)
        case webDAV(WebDAVSettings)

        /// The word in the configuration.
        var name: String {
            switch self {
            case .bridge: "bridge"
            case .directory: "directory"
            case .http: "http"
            case .presigned: "presigned"
            case .resumable: "resumable"
            case .s3: "s3"
            case .tus: "tus"
            case .webDAV: "webdav"
            }
        }
    }

    public var name: DestinationName
    public var driver: Driver
    public var limits: TransferLimits
    /// Whether jobs may read from it.
    public var isSource: Bool
    /// For jobs that say nothing of it themselves; nil: as usual.
    public var retry: RetryPolicy?
    /// Seconds that its jobs wait for it before they are given up; nil: as usual.
    public var patience: TimeInterval?

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
        patience = settings.seconds("\(base).patience")
        driver = try Self.driver(kind, base, settings)
    }

    private static func driver(_ kind: String, _ base: String, _ settings: Settings) throws(ProgramError) -> Driver {
        switch kind {
        case "bridge": .bridge(try BridgeSettings(base, settings))
        case "http": .http(try HTTPSettings(base, settings))
        case "presigned": .presigned(try PresignedSettings(base, settings))
        case "resumable": .resumable(try ResumableSettings(base, settings))
        case "s3": .s3(try S3Settings(base, settings))
        case "tus": .tus(try TusSettings(base, settings))
        case "webdav": .webDAV(try WebDAVSettings(base, settings))
        default:
            .directory(
                path: try settings.needed("\(base).path", settings.path),
                requiresMount: settings.text("\(base).requireMount") == "true", marker: settings.text("\(base).marker"))
        }
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
        paths(below: section).reduce(into: [:]) { entries, path in
            entries[path.dropping(bytes: section.utf8.count + 1)] = value(path)
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
        for path in paths(below: base) {
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
        let first = paths(below: section).compactMap { values[$0]?.origin }.min { left, right in
            guard case .file(_, let a) = left, case .file(_, let b) = right else { return false }
            return a < b
        }
        return first.map { "\($0): \(section)" } ?? section
    }
}

public import Foundation
public import Uploads

/// A delegate as the configuration names it.
public struct DelegateSettings: Hashable, Sendable {
    /// The kinds that this version has.
    static let kinds = ["webhook", "queue", "command", "log"]

    public enum Kind: Hashable, Sendable {
        /// `mode`: `structured` or `binary`; `caFile`: who may have signed the server's certificate.
        case webhook(url: String, secrets: [Secret], mode: String?, caFile: String?)
        case queue
        /// The program and its arguments.
        case command([String], environment: [String: Secret])
        /// nil for the usual size and count.
        case log(path: String, rotateBytes: Int64?, keep: Int?)
    }

    public var name: String
    public var kind: Kind
    /// `completed`, `failed`, `cancelled`; empty is all.
    public var types: [String]
    public var filter: DeliveryFilter
    /// Sources by the names that the receiver knows; empty is everything as it is.
    public var fields: [String: String]
    public var isOrdered: Bool
    /// Deliveries at once; nil for what is usual for the kind.
    public var concurrency: Int?
    /// Seconds for one delivery; nil for what is usual for the kind.
    public var timeout: TimeInterval?

    /// - Throws: `configuration` for a key that is missing or belongs to another kind.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let base = "delegates.\(name)"
        self.name = name
        guard !ClientDelegate.isName(name) else {
            throw ProgramError(
                .configuration,
                "\(settings.place(base)): names that begin with '\(ClientDelegate.prefix)' are those of apps; take another name"
            )
        }
        types = settings.list("\(base).types")
        fields = settings.texts(below: "\(base).fields")
        isOrdered = settings.text("\(base).ordered") == "true"
        concurrency = settings.integer("\(base).concurrency")
        timeout = settings.seconds("\(base).timeout")
        filter = DeliveryFilter(
            queues: Set(settings.list("\(base).queues")), destinations: Set(settings.list("\(base).destinations")),
            batches: Set(settings.list("\(base).batches").map { ExactText($0) }),
            metadata: try Self.metadata("\(base).metadata", settings))
        switch try settings.owned(base, by: "kind", words: Self.kinds) {
        case "log":
            kind = .log(
                path: try settings.needed("\(base).path", settings.path),
                rotateBytes: settings.bytes("\(base).rotateBytes"), keep: settings.integer("\(base).keep"))
        case "queue": kind = .queue
        case "command":
            _ = try settings.needed("\(base).command", settings.text)
            kind = .command(
                settings.list("\(base).command"), environment: settings.secrets(below: "\(base).environment"))
        default:
            kind = .webhook(
                url: try settings.needed("\(base).url", settings.text), secrets: settings.secrets("\(base).secret"),
                mode: settings.text("\(base).mode"), caFile: settings.path("\(base).caFile"))
        }
    }

    private static func metadata(_ path: String, _ settings: Settings) throws(ProgramError) -> [String: String] {
        var metadata: [String: String] = [:]
        for item in settings.list(path) {
            guard let sign = item.firstIndex(of: "="), sign != item.startIndex else {
                throw ProgramError(
                    .configuration, "\(settings.place(path)): '\(item)': expected KEY=VALUE, such as customer=acme")
            }
            metadata[String(item[..<sign])] = String(item[item.index(after: sign)...])
        }
        return metadata
    }
}

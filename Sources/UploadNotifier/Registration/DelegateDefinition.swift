import Foundation
import Uploads

/// A delegate as it is registered at run time: the fields of the request, and the keys that sign its deliveries.
///
/// `command` and `log` are not among the kinds, and a file of certificate authorities is not among the fields: a caller
/// of the API must not be able to run programs, or to read and write files, as the notifier's user.
struct DelegateDefinition: Codable, Hashable, Sendable {
    enum Kind: String, CaseIterable { case webhook, queue }

    /// Fields of every kind; ``webhookFields`` are those of a webhook alone.
    static let commonFields: Set = [
        "types", "queues", "destinations", "batches", "metadata", "fields", "ordered", "concurrency", "timeoutSeconds",
    ]
    static let webhookFields: Set = ["url", "mode"]
    static let names = commonFields.union(webhookFields).union(["kind"])
    /// The most keys that sign at once, replaced ones included.
    static let secretsMaximum = 5

    /// The fields of the request; none is null.
    private(set) var fields: [String: JSONValue]
    /// The keys of a webhook: first the current one, then those that were replaced and still sign.
    var secrets: [WebhookSecret]

    init(fields: [String: JSONValue], secrets: [WebhookSecret] = []) {
        self.fields = fields
        self.secrets = secrets
    }

    /// The delegate of an app's upload managers: a queue that gets the outcomes of the app's jobs alone, in order.
    /// - Returns: nil if `client` is no valid identifier.
    init?(client: String) {
        guard ClientDelegate.name(of: client) != nil else { return nil }
        self.init(fields: ["kind": .string(Kind.queue.rawValue), "client": .string(client), "ordered": .bool(true)])
    }

    var kind: Kind? { fields["kind"]?.string.flatMap(Kind.init(rawValue:)) }

    /// The definition with a JSON merge patch (RFC 7396): null removes a field, and fields that are objects are merged
    /// too.
    func merging(_ patch: [String: JSONValue]) -> DelegateDefinition {
        var merged = self
        if case .object(let fields) = JSONValue.object(fields).merging(.object(patch)) { merged.fields = fields }
        return merged
    }

    /// The definition with another key that signs from now on; the earlier keys sign as well until `until`.
    /// - Throws: `rejected` when too many keys sign already.
    func rotating(to secret: WebhookSecret, until: Date, at time: Date) throws(UploadError) -> DelegateDefinition {
        var rotated = self
        rotated.secrets = [secret]
        for old in secrets where old.signs(at: time) && old.text != secret.text && until > time {
            rotated.secrets.append(WebhookSecret(old.text, until: min(old.until ?? until, until)))
        }
        guard rotated.secrets.count <= Self.secretsMaximum else {
            throw UploadError(
                .rejected,
                "\(Self.secretsMaximum) secrets sign at once already; wait until the oldest ends, or let none overlap")
        }
        return rotated
    }

    /// The configuration that the fields describe.
    /// - Parameter addresses: refuses an address that a URL names; nil to leave that check to the delivery.
    func configuration(
        named name: String, addresses: AddressGuard?
    ) throws(DefinitionProblems) -> DelegateConfiguration {
        var reader = DefinitionReader(fields)
        let kind = kind(&reader, addresses)
        let ends = Set(EventKind.allCases.filter(\.isEnd).map(\.rawValue))
        let types = reader.list("types", expecting: "of completed, failed and cancelled", where: ends.contains)
        if types?.isEmpty == true {
            reader.refuse("types", "is empty: the delegate would get no outcome; leave it out for all")
        }
        let filter = DeliveryFilter(
            queues: Set(
                reader.list("queues", expecting: "names of queues: 1 to 64 of a-z, 0-9, '_' and '-'") {
                    (try? QueueName($0)) != nil
                } ?? []),
            destinations: Set(reader.list("destinations") ?? []),
            batches: Set((reader.list("batches") ?? []).map { ExactText($0) }),
            metadata: reader.texts("metadata") ?? [:], client: reader.text("client"))
        let ordered = reader.flag("ordered")
        let concurrency = reader.integer("concurrency", in: DelegateConfiguration.concurrencyRange)
        let mapping = mapping(&reader)
        guard let kind, reader.problems.isEmpty else { throw DefinitionProblems(reader.problems) }
        return DelegateConfiguration(
            name: name, kind: kind,
            types: types.map { Set($0.compactMap(EventKind.init(rawValue:))) } ?? Set(Self.ends),
            filter: filter, mapping: mapping, isOrdered: ordered ?? false, concurrencyMaximum: concurrency)
    }

    private static let ends = EventKind.allCases.filter(\.isEnd)

    private func mapping(_ reader: inout DefinitionReader) -> FieldMapping? {
        guard let texts = reader.texts("fields"), !texts.isEmpty else { return nil }
        do throws(UploadError) { return try FieldMapping(texts) } catch {
            reader.refuse("fields", error.message)
            return nil
        }
    }

    private func kind(_ reader: inout DefinitionReader, _ addresses: AddressGuard?) -> DelegateConfiguration.Kind? {
        let timeout = reader.seconds("timeoutSeconds", in: DelegateConfiguration.timeoutRange)
        switch reader.word("kind", Kind.self) {
        case .queue:
            for field in Self.webhookFields.sorted() where reader.has(field) {
                reader.refuse(field, "is no field of kind 'queue'; leave it out")
            }
            return .queue(timeout.map { QueueConfiguration(timeout: $0) } ?? QueueConfiguration())
        case .webhook:
            let mode = reader.word("mode", WebhookConfiguration.Mode.self)
            guard let url = reader.text("url") else {
                if !reader.has("url") { reader.refuse("url", "is missing: where are outcomes to be posted?") }
                return nil
            }
            do throws(WebhookAddress.Problem) {
                let address = try WebhookAddress(url)
                if let problem = addresses?.problem(ofHost: address.host) { reader.refuse("url", problem) }
            } catch {
                reader.refuse("url", error.text)
            }
            var webhook = WebhookConfiguration(url: url, secrets: [])
            webhook.secrets = secrets
            if let mode { webhook.mode = mode }
            if let timeout { webhook.timeout = timeout }
            return .webhook(webhook)
        case nil:
            if !reader.has("kind") { reader.refuse("kind", "is missing: webhook or queue") }
            return nil
        }
    }
}

extension JSONValue {
    /// RFC 7396, section 2.
    fileprivate func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var merged: [String: JSONValue] = if case .object(let fields) = self { fields } else { [:] }
        for (name, change) in changes {
            merged[name] = change == .null ? nil : (merged[name] ?? .null).merging(change)
        }
        return .object(merged)
    }
}

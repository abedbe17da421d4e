import Uploads

/// A delegate of the configuration: its kind's settings, and those that every delegate has.
struct DelegateSettings: Sendable {
    var name: String
    var kind: any DelegateKindSettings
    /// `completed`, `failed`, `cancelled`; empty is all.
    var types: [String]
    var filter: DeliveryFilter
    /// Sources by the names that the receiver knows; empty: events as they are.
    var fields: [String: String]
    var isOrdered: Bool
    /// Deliveries at once; nil for the usual number of the kind.
    var concurrency: Int?
    let section: SettingsSection

    /// - Throws: `configuration` for a key that is missing or belongs to another kind.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let section = SettingsSection("delegates.\(name)", settings)
        self.section = section
        self.name = name
        guard !ClientDelegate.isName(name) else {
            throw ProgramError(
                .configuration,
                "\(settings.place(section.base)): names that begin with '\(ClientDelegate.prefix)' are those of apps; take another name"
            )
        }
        types = section.list("types")
        fields = section.texts(below: "fields")
        isOrdered = section.isTrue("ordered")
        concurrency = section.integer("concurrency")
        filter = DeliveryFilter(
            queues: Set(section.list("queues")), destinations: Set(section.list("destinations")),
            batches: Set(section.list("batches").map { ExactText($0) }), metadata: try Self.metadata(section))
        let word = try section.owner(by: "kind")
        guard let type = DelegateKinds.all.first(where: { $0.kindName == word }) else {
            throw section.problem("kind", "'\(word)': expected \(DelegateKinds.names.joined(separator: ", "))")
        }
        kind = try type.init(section)
    }

    private static func metadata(_ section: SettingsSection) throws(ProgramError) -> [String: String] {
        var metadata: [String: String] = [:]
        for item in section.list("metadata") {
            guard let sign = item.firstIndex(of: "="), sign != item.startIndex else {
                throw section.problem("metadata", "'\(item)': expected KEY=VALUE, such as customer=acme")
            }
            metadata[String(item[..<sign])] = String(item[item.index(after: sign)...])
        }
        return metadata
    }
}

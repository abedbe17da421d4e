/// The prepared statements of one connection, by their text and types. The one that was used longest ago gives way to a new one.
struct PreparedStatements {
    struct Key: Hashable {
        var sql: String
        var types: [UInt32]
    }

    struct Use: Equatable {
        var name: String
        /// Whether the statement has to be prepared first.
        var isNew: Bool
        /// The statement that gives way, to be deallocated first.
        var removed: String?
    }

    private struct Entry {
        var name: String
        var lastUse: UInt64
    }

    private let countMaximum: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    /// Names are never given twice, so that a statement whose preparation failed hinders no other.
    private var lastName: UInt64 = 0

    init(countMaximum: Int = 256) { self.countMaximum = max(1, countMaximum) }

    mutating func use(_ key: Key) -> Use {
        uses += 1
        if let entry = entries[key] {
            entries[key]?.lastUse = uses
            return Use(name: entry.name, isNew: false)
        }
        var removed: String?
        if entries.count >= countMaximum, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            removed = oldest.value.name
        }
        lastName += 1
        let name = "s\(lastName)"
        entries[key] = Entry(name: name, lastUse: uses)
        return Use(name: name, isNew: true, removed: removed)
    }

    /// Forgets statements that the server did not prepare.
    mutating func forget(_ names: Set<String>) { entries = entries.filter { !names.contains($0.value.name) } }
}

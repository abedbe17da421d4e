public import Foundation

/// What a sweep found and removed.
public struct SweepReport: Codable, Hashable, Sendable {
    /// Most that are listed; all are counted.
    public static let itemsMaximum = 500

    /// Something that nobody needs any more.
    public struct Item: Codable, Hashable, Sendable {
        /// The key at the destination, or the path below the staging area.
        public var name: String
        /// What tells an unfinished upload from all others at the destination.
        public var sessionID: String?
        public var job: JobID?
        /// When it was begun, or last written to where that is known.
        public var since: Date
        /// Where that is known without asking for each.
        public var bytes: Int64?
        public var removed: Bool
        /// Why it could not be removed.
        public var reason: String?

        public init(
            name: String, sessionID: String? = nil, job: JobID? = nil, since: Date, bytes: Int64? = nil,
            removed: Bool = false, reason: String? = nil
        ) {
            self.name = name
            self.sessionID = sessionID
            self.job = job
            self.since = since
            self.bytes = bytes
            self.removed = removed
            self.reason = reason
        }
    }

    /// Whether it only looked.
    public var dryRun: Bool
    /// What was old enough to be looked at; one list has at most 10,000.
    public var listed: Int
    /// Of these, what nobody needs any more.
    public var found: Int
    public var removed: Int
    /// Of what was found, as far as it is known.
    public var bytes: Int64
    /// The first ``itemsMaximum`` of what was found.
    public var items: [Item]

    public init(dryRun: Bool, listed: Int = 0) {
        self.dryRun = dryRun
        self.listed = listed
        found = 0
        removed = 0
        bytes = 0
        items = []
    }

    /// Counts one in, and lists it while there is room.
    public mutating func add(_ item: Item) {
        found += 1
        if item.removed { removed += 1 }
        bytes = bytes.addingSaturating(item.bytes ?? 0)
        if items.count < Self.itemsMaximum { items.append(item) }
    }
}

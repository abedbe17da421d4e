public import Foundation

/// What a sweep found and removed.
public struct SweepReport: Codable, Hashable, Sendable {
    /// The most items that are listed; all are counted.
    public static let itemsMaximum = 500

    /// Something that no job needs any more.
    public struct Item: Codable, Hashable, Sendable {
        /// The key at the destination, or the path below the staging area; cut to ``WireLimits/nameLengthMaximum``, as are the other texts.
        public let name: String
        /// The id of an unfinished upload at the destination.
        public let sessionID: String?
        public var job: JobID?
        /// When it was begun, or last written to where that is known.
        public var since: Date
        /// The size, where it is known without a request for each item.
        public var bytes: Int64?
        public var removed: Bool
        /// Why it could not be removed.
        public var reason: String? { didSet { reason = reason?.codePointPrefix(WireLimits.nameLengthMaximum) } }

        public init(
            name: String, sessionID: String? = nil, job: JobID? = nil, since: Date, bytes: Int64? = nil,
            removed: Bool = false, reason: String? = nil
        ) {
            self.name = name.codePointPrefix(WireLimits.nameLengthMaximum)
            self.sessionID = sessionID?.codePointPrefix(WireLimits.nameLengthMaximum)
            self.job = job
            self.since = since
            self.bytes = bytes.map { min(max(0, $0), WireLimits.bytesSentMaximum) }
            self.removed = removed
            self.reason = reason?.codePointPrefix(WireLimits.nameLengthMaximum)
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                name: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .name),
                sessionID: try container.decodeTextIfPresent(
                    atMost: WireLimits.nameLengthMaximum, forKey: .sessionID),
                job: try container.decodeIfPresent(JobID.self, forKey: .job),
                since: try container.decode(Date.self, forKey: .since),
                bytes: try container.decodeIfPresent(0...WireLimits.bytesSentMaximum, forKey: .bytes),
                removed: try container.decode(Bool.self, forKey: .removed),
                reason: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .reason))
        }
    }

    /// Whether the sweep only looked, and removed nothing.
    public var dryRun: Bool
    /// How many items were old enough to be looked at; one list has at most 10,000.
    public var listed: Int
    /// How many of these no job needs any more.
    public var found: Int
    public var removed: Int
    /// The size of what was found, as far as it is known.
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

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        dryRun = try container.decode(Bool.self, forKey: .dryRun)
        listed = try container.decode(0...WireLimits.countMaximum, forKey: .listed)
        found = try container.decode(0...WireLimits.countMaximum, forKey: .found)
        removed = try container.decode(0...WireLimits.countMaximum, forKey: .removed)
        bytes = try container.decode(0...WireLimits.bytesSentMaximum, forKey: .bytes)
        items =
            try container.decodeListIfPresent(of: Item.self, atMost: Self.itemsMaximum, forKey: .items) ?? []
    }

    /// Counts what was looked at.
    public mutating func look(at count: Int) {
        listed = Swift.min(listed.addingSaturating(count), WireLimits.countMaximum)
    }

    /// Counts one in, and lists it while there is room.
    public mutating func add(_ item: Item) {
        found = Swift.min(found.addingSaturating(1), WireLimits.countMaximum)
        if item.removed { removed = Swift.min(removed.addingSaturating(1), WireLimits.countMaximum) }
        bytes = min(bytes.addingSaturating(item.bytes ?? 0), WireLimits.bytesSentMaximum)
        if items.count < Self.itemsMaximum { items.append(item) }
    }
}

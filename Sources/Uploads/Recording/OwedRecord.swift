/// The form of an owed action in a ledger, as JSON. An outcome is kept as the id of the event that brought it.
package struct OwedRecord: Codable {
    enum Kind: String, Codable { case mark, issue, append, tell }

    var kind: Kind
    var marker: IssueMarker?
    var baton: Baton?
    var lane: Lane?
    var entry: ControlEntry?
    var event: String?

    private enum CodingKeys: String, CodingKey { case kind, marker, baton, lane, entry, event }

    /// nil for an action that is not published.
    package init?(_ action: IssuingAction, source: String?) {
        switch action {
        case .mark(let marker):
            kind = .mark
            self.marker = marker
        case .issue(let baton, let lane, _):
            kind = .issue
            self.baton = baton
            self.lane = lane
        case .append(let entry):
            kind = .append
            self.entry = entry
        case .outcome:
            kind = .tell
            event = source
        case .record, .note: return nil
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        marker = try container.decodeIfPresent(IssueMarker.self, forKey: .marker)
        baton = try container.decodeIfPresent(Baton.self, forKey: .baton)
        lane = try container.decodeIfPresent(Lane.self, forKey: .lane)
        entry = try container.decodeIfPresent(ControlEntry.self, forKey: .entry)
        event = try container.decodeIfPresent(String.self, forKey: .event)
        guard (event?.utf8.count ?? 0) <= 4 * WireLimits.nameLengthMaximum else {
            throw DecodingError.dataCorruptedError(
                forKey: .event, in: container, debugDescription: "it is longer than the id of an event can be")
        }
    }

    /// The action to repeat. `event` finds the event that was recorded under an id.
    package func action(event find: (String) throws -> UploadEvent?) rethrows -> IssuingAction? {
        switch kind {
        case .mark: marker.map { .mark($0) }
        case .issue:
            if let baton, let lane {
                IssuingAction.issue(baton, lane: lane, maybeRepeated: false).repeated
            } else {
                nil
            }
        case .append: entry.map { .append($0) }
        case .tell: try event.flatMap { try find($0) }.map { .outcome($0.told) }
        }
    }
}

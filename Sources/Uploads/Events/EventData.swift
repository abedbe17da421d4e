public import Foundation

/// The data of an event: the baton after the event, with the job in it, and the fields that the kind adds. On the wire
/// both are side by side in one object: `upload.event.v1.schema.json` and the section *An event* of <doc:WireFormat> have the
/// same fields, and the HTTP API shows some of them (`API.Event`).
public struct EventData: Hashable, Sendable {
    public var baton: Baton
    /// `completed`: the object at the destination.
    @Boxed public var object: StoredObject?
    /// The server's answer, if there is one.
    public var response: ServerResponse?
    /// `failed`, and `waiting` for a retry or a destination that keeps failing.
    @Boxed public var error: UploadError?
    /// `waiting`, `paused`: until when at most.
    public var waitingUntil: Date?
    /// `waiting`: the label of the wait reason; `suspect`: why the delivery is one. Cut to
    /// ``WireLimits/nameLengthMaximum``.
    public var reason: String? { didSet { reason = reason?.codePointPrefix(WireLimits.nameLengthMaximum) } }
    /// `progress`: bytes of the file that the destination holds.
    public var bytesDone: Int64?
    /// `progress`: bytes of every part but the last; nil where the worker does not say.
    public var partBytes: Int64?
    /// `progress`: bytes per second over the last report's time.
    public var bytesPerSecond: Double?
    /// `completed`, `failed`, `cancelled`: when the round ended.
    public var endedAt: Date?

    public init(_ baton: Baton) { self.baton = baton }
}

extension EventData: Codable {
    /// The fields that an event adds to the baton's. They are no unknown fields of the baton: a reader does not keep them there, and
    /// a worker does not pass them on with the baton.
    private enum Key: String, CodingKey, CaseIterable {
        case object, response, error, waitingUntil, reason, bytesDone, partBytes, bytesPerSecond, endedAt

        static let names = allCases.map(\.stringValue)
    }

    public init(from decoder: any Decoder) throws {
        baton = try Baton(from: decoder, beside: Key.names)
        let container = try decoder.container(keyedBy: Key.self)
        object = try container.decodeIfPresent(StoredObject.self, forKey: .object)
        response = try container.decodeIfPresent(ServerResponse.self, forKey: .response)
        error = try container.decodeIfPresent(UploadError.self, forKey: .error)
        waitingUntil = try container.decodeIfPresent(Date.self, forKey: .waitingUntil)
        reason = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .reason)
        bytesDone = try container.decodeIfPresent(0...WireLimits.sizeMaximum, forKey: .bytesDone)
        partBytes = try container.decodeIfPresent(1...WireLimits.sizeMaximum, forKey: .partBytes)
        bytesPerSecond = try container.decodeIfPresent(
            0...Double(WireLimits.bytesSentMaximum), forKey: .bytesPerSecond)
        endedAt = try container.decodeIfPresent(Date.self, forKey: .endedAt)
    }

    public func encode(to encoder: any Encoder) throws {
        // An unknown field of the baton must not take the place of a field of the event.
        var baton = baton
        for name in Key.names { baton.unknown[name] = nil }
        try baton.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(object, forKey: .object)
        try container.encodeIfPresent(response, forKey: .response)
        try container.encodeIfPresent(error, forKey: .error)
        try container.encodeIfPresent(waitingUntil, forKey: .waitingUntil)
        try container.encodeIfPresent(reason, forKey: .reason)
        try container.encodeIfPresent(
            bytesDone.map { min(max(0, $0), WireLimits.sizeMaximum) }, forKey: .bytesDone)
        try container.encodeIfPresent(
            partBytes.map { min(max(1, $0), WireLimits.sizeMaximum) }, forKey: .partBytes)
        try container.encodeIfPresent(
            bytesPerSecond.map { $0 > 0 ? min($0, Double(WireLimits.bytesSentMaximum)) : 0 }, forKey: .bytesPerSecond)
        try container.encodeIfPresent(endedAt, forKey: .endedAt)
    }
}

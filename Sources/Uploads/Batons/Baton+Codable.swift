import Foundation

/// The wire form `upload.baton.v1`, in which a field with its default is left out, except the two that people look for: `attempts`
/// and `bytesSent`.
extension Baton: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case job, round, generation, slice, attempts, idleWaits, waitingSince, state, failures, isCancel, runsAlone,
            bytesSent
        case activeSeconds, startedAt, triedSince, onlyRemovesCopy

        /// In the order in which the writer sorts members, so that one pass compares them.
        static let names = allCases.map(\.stringValue).sorted()
    }

    public init(from decoder: any Decoder) throws { try self.init(from: decoder, beside: []) }

    /// - Parameter others: the names of the fields that the same object has beside the baton's.
    init(from decoder: any Decoder, beside others: [String]) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            job: try container.decode(UploadJob.self, forKey: .job),
            round: try container.decode(1...WireLimits.countMaximum, forKey: .round),
            generation: try container.decode(1...WireLimits.countMaximum, forKey: .generation))
        slice = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .slice) ?? 0
        attempts = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .attempts) ?? 0
        idleWaits = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .idleWaits) ?? 0
        waitingSince = try container.decodeIfPresent(Date.self, forKey: .waitingSince)
        state = try container.decodeIfPresent(UploadState.self, forKey: .state)
        failures =
            try container.decodeListIfPresent(
                of: FailureRecord.self, atMost: Self.failureCountMaximum, forKey: .failures) ?? []
        isCancel = try container.decodeIfPresent(Bool.self, forKey: .isCancel) ?? false
        onlyRemovesCopy = try container.decodeIfPresent(Bool.self, forKey: .onlyRemovesCopy) ?? false
        runsAlone = try container.decodeIfPresent(Bool.self, forKey: .runsAlone) ?? false
        bytesSent = try container.decodeIfPresent(0...WireLimits.bytesSentMaximum, forKey: .bytesSent) ?? 0
        activeSeconds = try container.decodeIfPresent(0...WireLimits.secondsMaximum, forKey: .activeSeconds) ?? 0
        startedAt = try container.decodeIfPresent(Date.self, forKey: .startedAt)
        triedSince = try container.decodeIfPresent(Date.self, forKey: .triedSince)
        unknown = try decoder.unknownFields(besides: Key.names + others)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        // In the order in which they are written.
        if activeSeconds != 0 { try container.encode(activeSeconds, forKey: .activeSeconds) }
        try container.encode(attempts, forKey: .attempts)
        try container.encode(bytesSent, forKey: .bytesSent)
        if !failures.isEmpty { try container.encode(failures, forKey: .failures) }
        try container.encode(generation, forKey: .generation)
        if idleWaits != 0 { try container.encode(idleWaits, forKey: .idleWaits) }
        if isCancel { try container.encode(true, forKey: .isCancel) }
        try container.encode(order, forKey: .job)
        if onlyRemovesCopy { try container.encode(true, forKey: .onlyRemovesCopy) }
        try container.encode(round, forKey: .round)
        if runsAlone { try container.encode(true, forKey: .runsAlone) }
        if slice != 0 { try container.encode(slice, forKey: .slice) }
        try container.encodeIfPresent(startedAt, forKey: .startedAt)
        // A state that readers refuse would make the job itself unreadable. Without its state the upload begins anew.
        try container.encodeIfPresent(state.flatMap { $0.fitsMessages ? $0 : nil }, forKey: .state)
        try container.encodeIfPresent(triedSince, forKey: .triedSince)
        try container.encodeIfPresent(waitingSince, forKey: .waitingSince)
        try encoder.encodeUnknownFields(unknown)
    }
}

import Uploads

/// A destination that gives every answer which a driver can give, whatever it has answered before.
struct LyingDestination {
    /// How many sessions it may answer with.
    private static let sessions = [
        UploadState(driver: "model", payload: ["id": 1]), UploadState(driver: "model", payload: ["id": 2]),
    ]
    static let partBytes: Int64 = 5

    var canYield = true
    var sessionCount = 2
    /// How many objects of the job it may answer with; to the reader that reads them back, each is another one.
    var objectCount = 1
    /// Whether it also answers with objects that are not the job's: alone, beside a session, of a newer job.
    var hasOther = false
    /// What the destination's circuit says.
    var way = DestinationFacts.Way.free
    /// Whether it also refuses for good, asks for a pause, is not done yet, and says that it has stored something else.
    var hasTroubles = false
    /// Whether the staged copy may lack any part at any time.
    var isCopying = false

    /// Every answer to what a slice asks; the rest of the worker works as it should.
    func answers(to action: SliceAction) -> [SliceFact] {
        switch action {
        case .checkValidity: [.validity(.holds)]
        case .tellStarted: [.toldStarted]
        case .findDestination: [.destinationFound(DestinationFacts(driver: "model", canYield: canYield, way: way))]
        case .claimSource: [.sourceClaimed, .sourceBusy]
        case .probe: found.map { .probed($0) } + failures([.networkFailure])
        case .open: opened.map { .opened($0) } + failures([.sessionExpired, .networkFailure])
        case .sendPart(let part):
            [nil, sessions.last].map { SliceFact.partAccepted(part, $0) } + (isCopying ? [.partNotCopied(part)] : [])
                + errors([.sessionExpired, .networkFailure, .preconditionFailed]).map { SliceFact.partFailed(part, $0) }
        case .complete:
            objects.map { .completed(CompletedUpload($0)) }
                + failures([.sessionExpired, .preconditionFailed, .networkFailure, .checksumMismatch])
        case .readBack(let from):
            reached(from).map { .readBackReached($0) } + [.readBackMatched]
                + failures([.checksumMismatch, .preconditionFailed, .networkFailure])
        case .discard: [.discarded] + failures([.networkFailure])
        case .waitToRetry(let part, _): [.retryDue(part)]
        case .examineSource, .removeStagedCopy, .withdrawTurns, .cancelRequests, .awaitLastAnswers, .settle: []
        }
    }

    private var objects: [StoredObject] {
        (1...objectCount).map { StoredObject(location: "/there", etag: "e\($0)", size: Self.partBytes * 2) }
    }

    private var found: [ProbeAnswer] {
        let other = StoredObject(location: "/there", etag: "other")
        let others: [ProbeAnswer] = [
            .unknowable, .other(other, isNewer: false), .other(other, isNewer: true),
        ]
        return [.nothing] + (hasOther ? others + sessions.map { .partial($0, beside: other) } : [])
            + sessions.map { .partial($0, beside: nil) } + objects.map { .complete(CompletedUpload($0)) }
    }

    private var sessions: [UploadState] { Array(Self.sessions.prefix(sessionCount)) }

    private var opened: [SessionFacts] {
        // With one session, only the whole and the finished.
        let sizes = sessionCount == 1 ? [(0, 0)] : [(0, 0), (0, 1), (0, 2), (1, 1)]
        return [SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: Self.partBytes)]
            + sizes.map { session, missing in
                SessionFacts(
                    state: sessions[session], partCount: 2, missingCount: missing,
                    bytesMissing: Int64(missing) * Self.partBytes)
            }
    }

    /// Reading goes on from where it is; what the destination sends cannot take it back.
    private func reached(_ from: ReadBack) -> [ReadBack] {
        guard from.bytes < Self.partBytes * 2 else { return [] }
        var next = from
        next.bytes += Self.partBytes
        return [next]
    }

    private func errors(_ codes: [UploadError.Code]) -> [UploadError] {
        codes.map { UploadError($0, "it went wrong: look again") } + (hasTroubles ? Self.troubles : [])
    }

    private static let troubles = [
        UploadError(.serverFailure, "it is busy: wait", retry: .after(seconds: 7)),
        UploadError(
            .serverFailure, "it says when: wait", retry: .after(seconds: 7), response: ServerResponse(status: 503)),
        UploadError(.rateLimited, "it was asked too often: wait", retry: .pause(seconds: 7)),
        UploadError(.unknown, "it is not done: wait", retry: .notYet(seconds: 7)),
        UploadError(.accessDenied, "it refuses: ask", retry: .never, response: ServerResponse(status: 403)),
        UploadError(.noSpace, "it is full: wait"),
        UploadError(
            .checksumMismatch, "it has stored something else: send again", response: ServerResponse(status: 200)),
    ]

    private func failures(_ codes: [UploadError.Code]) -> [SliceFact] { errors(codes).map { .failed($0) } }
}

import Testing

@testable import Uploads

/// The table of *Operating*: error, scope, and the evidence about the destination.
@Suite struct FailureScopeTests {
    private let named = DestinationReference.named(DestinationName(unchecked: "photos"), key: "a")
    private let url = DestinationReference.url("https://bucket.example/a?signature=1")

    private func error(
        _ code: UploadError.Code, _ status: Int? = nil, retry: UploadError.Retry? = nil
    ) -> UploadError {
        UploadError(code, "it went wrong: look", retry: retry, response: status.map { ServerResponse(status: $0) })
    }

    private func write(_ error: UploadError) -> CircuitEvidence? { CircuitEvidence(error, of: named, isWrite: true) }
    private func look(_ error: UploadError) -> CircuitEvidence? { CircuitEvidence(error, of: named, isWrite: false) }

    @Test func `what every job would meet is the destination's`() {
        for error in [
            error(.noSpace), error(.noSpace, 507), error(.destinationAway), error(.wrongCredentials, 403),
            error(.notAuthenticated, 401), error(.misconfigured, retry: .afterBackoff),
        ] {
            #expect(FailureScope(error, of: named) == .destination)
            #expect(write(error) == .broken(.write, error))
        }
        #expect(look(error(.wrongCredentials, 403)) == .broken(.signIn, error(.wrongCredentials, 403)))
        #expect(look(error(.destinationAway)) == .broken(.reach, error(.destinationAway)))
    }

    @Test func `a URL carries its own credentials, and says nothing of its host's`() {
        for code in [UploadError.Code.wrongCredentials, .notAuthenticated, .accessDenied] {
            let error = error(code, 403)
            #expect(FailureScope(error, of: url) == .job)
            #expect(CircuitEvidence(error, of: url, isWrite: true) == .works(.reach))
        }
    }

    @Test func `what several jobs have to meet first counts for both`() {
        for error in [
            error(.networkFailure), error(.serverFailure), error(.serverFailure, 500), error(.serverFailure, 503),
            error(.accessDenied, 403),
        ] {
            #expect(FailureScope(error, of: named) == .shared)
            #expect(write(error) == .failing(.write, error))
        }
        #expect(look(error(.networkFailure)) == .failing(.reach, error(.networkFailure)))
        #expect(look(error(.accessDenied, 403)) == .failing(.signIn, error(.accessDenied, 403)))
    }

    @Test func `a wait that a server or a limit asked for has the scope of a pause`() {
        let asked = error(.rateLimited, 429, retry: .after(seconds: 9))
        let busy = error(.serverFailure, 503, retry: .after(seconds: 9))
        let slow = error(.rateLimited, 503)
        let locked = error(.serverFailure, 423)
        let own = error(.rateLimited, retry: .pause(seconds: 9))
        let remembered = error(.wrongCredentials, 401, retry: .pause(seconds: 9))
        for error in [asked, busy, slow, locked, own, remembered] {
            #expect(FailureScope(error, of: named) == .pause)
        }
        #expect(write(asked) == .broken(.write, asked), "those behind it do not ask first")
        #expect(write(busy) == .broken(.write, busy))
        #expect(write(slow) == .failing(.write, slow))
        #expect(write(locked) == nil, "a lock is about one object")
        #expect(write(own) == nil, "the destination was not asked")
        #expect(look(remembered) == .failing(.reach, remembered))
    }

    @Test func `what a destination keeps nothing of is no progress`() {
        for code in [UploadError.Code.sessionExpired, .interrupted] {
            #expect(FailureScope(error(code), of: named) == .noProgress)
        }
    }

    @Test func `everything else is the job's own, and its answer shows that the destination is reached`() {
        for code in UploadError.Code.allCodes
        where ![
            .noSpace, .destinationAway, .wrongCredentials, .notAuthenticated, .networkFailure, .serverFailure,
            .rateLimited, .sessionExpired, .interrupted,
        ].contains(code) {
            #expect(FailureScope(error(code), of: named) == .job, "\(code)")
            #expect(write(error(code)) == nil, "\(code)")
        }
        for code in [UploadError.Code.rejected, .preconditionFailed, .destinationNotFound] {
            #expect(write(error(code, 403)) == .works(.reach))
        }
        #expect(write(error(.serverFailure, 409)) == .works(.reach), "a quarrel about one object")
        #expect(write(error(.rejected, 501)) == nil, "a 5xx proves no health")
        #expect(write(error(.accessDenied, 403, retry: .afterBackoff)) == .works(.reach), "asked for anew")
    }

    @Test func `a step says what it proves`() {
        func evidence(_ fact: SliceFact, isWrite: Bool = true) -> CircuitEvidence? {
            CircuitEvidence(fact, of: named, isWrite: isWrite)
        }
        func session(_ parts: Int) -> SliceFact {
            .opened(SessionFacts(state: nil, partCount: parts, missingCount: parts, bytesMissing: 1))
        }
        #expect(evidence(.partAccepted(0, nil)) == .works(.write))
        #expect(evidence(.probed(.nothing), isWrite: false) == .works(.signIn))
        #expect(evidence(.probed(.unknowable), isWrite: false) == nil)
        #expect(evidence(session(2)) == .works(.signIn), "a full disk lets sessions be opened")
        #expect(evidence(session(1)) == nil)
        #expect(evidence(.sourceClaimed) == nil)
        // A driver may answer by itself for a session that nothing has touched since it was opened.
        let state = UploadState(driver: "s3", payload: ["u": 1])
        #expect(evidence(.probed(.partial(state, beside: nil)), isWrite: false) == .works(.signIn))
        #expect(evidence(.probed(.partial(state.untouched, beside: nil)), isWrite: false) == nil)
        var unasked = SessionFacts(state: state, partCount: 2, missingCount: 2, bytesMissing: 1)
        unasked.isAsked = false
        #expect(evidence(.opened(unasked)) == nil)
        #expect(evidence(.partFailed(0, error(.noSpace))) == .broken(.write, error(.noSpace)))
    }
}

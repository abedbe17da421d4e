import Uploads

/// A destination behind a ``Gate``.
struct GatedDestination: Destination {
    let inner: any Destination
    let gate: Gate

    var driver: String { inner.driver }
    var limits: TransferLimits { inner.limits }

    func canYield(_ job: UploadJob) -> Bool { inner.canYield(job) }

    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        try await inner.probe(job, state: state)
    }

    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession {
        GatedSession(inner: try await inner.open(job, resuming: state), gate: gate)
    }

    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        try await inner.discard(state, of: job)
    }
}

private struct GatedSession: UploadSession {
    let inner: any UploadSession
    let gate: Gate

    var state: UploadState? { inner.state }
    var plan: PartPlan { inner.plan }
    var missing: [Part] { inner.missing }

    func prepare(for condition: WriteCondition) { inner.prepare(for: condition) }

    func verify(against source: any UploadSource) async throws(UploadError) { try await inner.verify(against: source) }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        try await gate.pass()
        if Task.isCancelled { throw UploadError(.cancelled, "the part was cancelled") }
        try await inner.upload(part, from: source, sent: sent)
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await inner.complete(condition)
    }

    func close() async { await inner.close() }
}

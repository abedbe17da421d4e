import Synchronization
public import Uploads

/// Adds the copies of a staging area at a destination to the sources that a worker has on its own file systems.
public final class DestinationAreaSources: SourceProvider {
    /// The least time between two looks at the area's id.
    private static let lookInterval = Duration.seconds(10)

    private struct State: Sendable {
        var area: DestinationArea?
        var lookedAt: ContinuousClock.Instant?
    }

    private let local: any SourceProvider
    private let place: DestinationArea.Place
    private let destinations: any DestinationProvider
    private let state = Mutex(State())
    private let looking = AsyncLock()

    public init(
        beside local: any SourceProvider, in place: DestinationArea.Place, of destinations: any DestinationProvider
    ) {
        self.local = local
        self.place = place
        self.destinations = destinations
    }

    public func origin(of job: UploadJob) -> DestinationReference? {
        guard case .staged(_, let name) = job.source else { return local.origin(of: job) }
        return place.job(for: name).destination
    }

    public func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination {
        try await local.examine(job)
    }

    public func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        guard case .staged(let id, let name) = job.source else { return try await local.claim(job) }
        do throws(UploadError) {
            guard let area = try await area(of: id) else { return .unknownArea(id) }
            return try await area.claim(name, for: job)
        } catch {
            // What is wrong with the destination of the area here is no fault of the job: it waits.
            guard error.isAboutArea else { throw error }
            return .unknownArea(id)
        }
    }

    public func removeStagedCopy(of job: UploadJob) async throws(UploadError) {
        guard case .staged(let id, let name) = job.source else { return try await local.removeStagedCopy(of: job) }
        try await area(of: id)?.remove(name, hasBlocks: job.size > PartPlan.blockBytes)
    }

    /// The area, if it has this id. An area that is made later, or anew, is found within seconds.
    private func area(of id: String) async throws(UploadError) -> DestinationArea? {
        if let known = state.withLock({ $0.area }), known.id == id { return known }
        return try await looking.withLock { () async throws(UploadError) in
            let state = self.state.withLock { $0 }
            if let lookedAt = state.lookedAt, .now - lookedAt < Self.lookInterval {
                return state.area?.id == id ? state.area : nil
            }
            let area = try await DestinationArea.existing(at: place, of: destinations)
            self.state.withLock { $0 = State(area: area, lookedAt: .now) }
            return area?.id == id ? area : nil
        }
    }
}

extension UploadError {
    /// Whether it says that an area's destination is not configured, refuses the credentials, or has no such bucket.
    fileprivate var isAboutArea: Bool {
        [.misconfigured, .accessDenied, .wrongCredentials, .destinationNotFound].contains(code)
    }
}

public import Uploads

/// The objects that lie at destinations, beside the sources that a worker has on its own file systems.
public struct ObjectSources: SourceProvider {
    private let local: any SourceProvider
    private let destinations: any DestinationProvider

    /// - Parameter destinations: say what may be read, and how.
    public init(beside local: any SourceProvider, at destinations: any DestinationProvider) {
        self.local = local
        self.destinations = destinations
    }

    public func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination {
        guard case .object(let reference, _) = job.source else { return try await local.examine(job) }
        guard let origin = try destinations.origin(for: reference) else { return .unknownOrigin(reference.label) }
        guard let found = try await origin.find(job.atOrigin(reference)) else { return .gone }
        guard found.object.size != nil else {
            throw UploadError(
                .rejected,
                "\(reference.displayText) does not tell its size, so that nobody could know whether all of it came: fetch it, and "
                    + "hand it to enqueue-upload on standard input")
        }
        return .found(job.examined(as: found.object, contentType: found.contentType))
    }

    public func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        guard case .object(let reference, let seen) = job.source else { return try await local.claim(job) }
        guard let origin = try destinations.origin(for: reference) else { return .unknownOrigin(reference.label) }
        guard let seen, seen.size == job.size else {
            throw UploadError(
                .invalidFile,
                "\(reference.displayText) was not looked at, or is said to have two sizes: enqueue it again"
            )
        }
        return .claimed(ObjectSource(seen, of: job.atOrigin(reference), at: origin))
    }

    public func removeStagedCopy(of job: UploadJob) async throws(UploadError) {
        try await local.removeStagedCopy(of: job)
    }
}

extension UploadJob {
    /// As the origin's driver takes it: what lies there is this job's object.
    fileprivate func atOrigin(_ reference: DestinationReference) -> UploadJob {
        var job = self
        job.destination = reference
        return job
    }
}

public import Uploads

/// Adds objects at destinations to the sources that a worker has on its own file systems.
public struct ObjectSources: SourceProvider {
    private let local: any SourceProvider
    private let destinations: any DestinationProvider

    /// - Parameter destinations: give access to the objects that may be read.
    public init(beside local: any SourceProvider, at destinations: any DestinationProvider) {
        self.local = local
        self.destinations = destinations
    }

    public func origin(of job: UploadJob) -> DestinationReference? {
        guard case .object(let reference, _) = job.source else { return local.origin(of: job) }
        return reference
    }

    public func examine(_ job: UploadJob) async throws(UploadError) -> SourceExamination {
        guard case .object(let reference, _) = job.source else { return try await local.examine(job) }
        guard let origin = try destinations.origin(for: reference) else { return .unknownOrigin(reference.label) }
        guard var found = try await find(job.atOrigin(reference), at: origin) else { return .gone }
        guard found.object.size != nil else {
            throw UploadError(
                .rejected,
                "the server does not tell the size of \(reference.displayText), so that a cut transfer would not be noticed: fetch it, and "
                    + "hand it to enqueue-upload on standard input")
        }
        if !found.object.hasValidator {
            found.object.digests = try await SpooledObject.examine(
                found.object, of: job.atOrigin(reference), at: origin)
        }
        return .found(job.examined(as: found.object, contentType: found.contentType))
    }

    /// Takes an object as missing only after a second look: one of several servers may not know the object yet.
    private func find(
        _ job: UploadJob, at origin: any OriginDestination
    ) async throws(UploadError) -> FoundObject? {
        if let found = try await origin.find(job) { return found }
        try await ObjectSource.rest(for: job)
        return try await origin.find(job)
    }

    public func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        guard case .object(let reference, let seen) = job.source else { return try await local.claim(job) }
        guard let origin = try destinations.origin(for: reference) else { return .unknownOrigin(reference.label) }
        guard let seen, seen.size == job.size else {
            throw UploadError(
                .invalidFile,
                "\(reference.displayText) was not examined, or the job names two sizes for it: enqueue it again"
            )
        }
        guard seen.hasValidator else {
            return .claimed(try await SpooledObject(seen, of: job.atOrigin(reference), at: origin))
        }
        return .claimed(ObjectSource(seen, of: job.atOrigin(reference), at: origin))
    }

    public func removeStagedCopy(of job: UploadJob) async throws(UploadError) {
        try await local.removeStagedCopy(of: job)
    }
}

extension UploadJob {
    /// The job in the form that the origin's driver takes: with the origin as its destination.
    fileprivate func atOrigin(_ reference: DestinationReference) -> UploadJob {
        var job = self
        job.destination = reference
        return job
    }
}

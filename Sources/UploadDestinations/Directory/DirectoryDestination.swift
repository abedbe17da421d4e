public import Foundation
import Glibc
import LinuxFiles
public import Uploads

/// Stores uploads as files below a directory.
///
/// Parts are written in place, several at once, into `.NAME.longshore-JOB.part` beside the target; `.NAME.longshore-JOB.parts`
/// records which are held. A part is recorded after its bytes are durable (fdatasync(2)), so the record claims nothing that a
/// crash of the worker or of its host could take back: at most the parts in flight are written again, by whoever goes on.
/// The finished file is flushed, named and its directory flushed, in this order; the target is never seen half written.
///
/// Missing directories are created. Symbolic links are followed as long as they stay below the root, except the last
/// component: a link that lies under the target's name is replaced, not followed.
public struct DirectoryDestination: Destination {
    public static let driverName = "directory"

    let configuration: DirectoryConfiguration

    public init(_ configuration: DirectoryConfiguration) {
        self.configuration = configuration
    }

    public var driver: String { Self.driverName }
    public var limits: TransferLimits { configuration.limits }

    public func canYield(_ job: UploadJob) -> Bool { true }

    /// By the job's id beside the object; a newer job's object goes before an unfinished session of this one.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        let target = try DirectoryTarget(job, configuration)
        return try await Blocking.run { () throws(UploadError) in
            guard let place = try target.locate(creating: false) else { return .nothing }
            let (found, mark) = try place.found()
            if let found, let mark, mark.owner.belongs(to: job), found.size == job.size {
                return .complete(CompletedUpload(found))
            }
            if let found, let mark, mark.owner.isNewer(than: job) { return .other(found, isNewer: true) }
            if let record = try place.record() { return .partial(record.state, beside: found) }
            if let found { return .other(found, isNewer: false) }
            return .nothing
        }
    }

    /// Takes up what is there of this job, whether or not the state is known: it is found by the job's id.
    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let target = try DirectoryTarget(job, configuration)
        return try await Blocking.run { () throws(UploadError) in
            guard let place = try target.locate(creating: true) else {
                throw UploadError(.destinationNotFound, "\(target.displayPath) cannot be created")
            }
            if let record = try place.record() { return DirectorySession(place, record) }
            guard state == nil else {
                throw UploadError(
                    .sessionExpired, "the unfinished upload to \(target.displayPath) is gone: it is begun anew")
            }
            return DirectorySession(place, try place.begin())
        }
    }

    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        let target = try DirectoryTarget(job, configuration)
        try await Blocking.run { () throws(UploadError) in try target.locate(creating: false)?.discard() }
    }
}

/// What is found is what was not written to since then.
extension DirectoryDestination: SweepableDestination {
    public func unfinished(startedBefore: Date) async throws(UploadError) -> [UnfinishedUpload] {
        let sweep = DirectorySweep(configuration: configuration)
        return try await Blocking.run { () throws(UploadError) in try sweep.unfinished(startedBefore: startedBefore) }
    }

    public func sessionID(of state: UploadState) -> String? {
        state.driver == Self.driverName ? state.payload["file"]?.string : nil
    }

    public func discard(_ upload: UnfinishedUpload) async throws(UploadError) {
        let sweep = DirectorySweep(configuration: configuration)
        try await Blocking.run { () throws(UploadError) in try sweep.discard(upload) }
    }
}

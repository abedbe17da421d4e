public import Foundation
import Glibc
import LinuxFiles
public import Uploads

/// Stores uploads as files below a directory.
///
/// Parts are written in place, several at once, into `.NAME.longshore-JOB.part` beside the target; `.NAME.longshore-JOB.parts`
/// records the parts that are held. A part is recorded after its bytes are durable (fdatasync(2)), so a crash of the worker or of its host
/// never takes back a recorded part: the worker that continues writes at most the parts in flight again.
/// The finished file is flushed, renamed and its directory flushed, in this order; readers never see a half written target.
///
/// Missing directories are created. The driver follows symbolic links that stay below the root, but not one in the last component: a link
/// under the target's name is replaced.
public struct DirectoryDestination: Destination {
    public static let driverName = "directory"

    let configuration: DirectoryConfiguration

    public init(_ configuration: DirectoryConfiguration) {
        self.configuration = configuration
    }

    public var driver: String { Self.driverName }
    public var limits: TransferLimits { configuration.limits }

    public func canYield(_ job: UploadJob) -> Bool { true }

    /// Recognises the job's object by the job's id beside it. A newer job's object counts more than an unfinished session of this job.
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

    /// Takes up the job's unfinished file, with or without a state: the file's name holds the job's id.
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

/// Lists unfinished files by the time of their last write.
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

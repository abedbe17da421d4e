import Foundation
import LinuxFiles
public import Uploads

/// The sources that a worker finds on its own file systems: staged copies, files in place, and inline bytes.
public struct LocalSources: SourceProvider {
    private let areas: [String: StagingArea]
    private let roots: [String]

    /// - Parameters:
    ///   - areas: the staging areas that this worker serves.
    ///   - roots: the directories below which files may be uploaded in place. Symbolic links in a file's path are resolved before
    ///     it is compared, so a link cannot lead out of a root.
    public init(areas: [StagingArea], roots: [String]) {
        self.areas = Dictionary(areas.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.roots = roots
    }

    public func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        switch job.source {
        case .staged(let area, let name):
            guard let area = areas[area] else { return .unknownArea(area) }
            return try await area.claim(StagingArea.checked(name), for: job)
        case .file(let path, let identity):
            return .claimed(try await claim(path, identity, for: job))
        case .inline(let data):
            return .claimed(try InlineSource(Array(data), for: job))
        case .object: throw .objectsUnserved
        }
    }

    public func removeStagedCopy(of job: UploadJob) async throws(UploadError) {
        guard case .staged(let area, _) = job.source, let area = areas[area] else { return }
        try await area.remove(job.source)
    }

    private func claim(
        _ path: FilePath, _ identity: FileIdentity, for job: UploadJob
    ) async throws(UploadError) -> FileSource {
        try await Blocking.run { [roots] () throws(UploadError) in
            let original = try OriginalFile(inPlace: path, below: roots)
            try original.check(size: job.size, identity: identity)
            return FileSource(original, digests: job.digests)
        }
    }
}

import Foundation
import Glibc
import LinuxFiles
import Uploads

/// Finds unfinished uploads below the root by their file names. Every call blocks.
///
/// Links are not followed: the sweep finds the linked directory at its own place, unless that is outside the root.
struct DirectorySweep: Sendable {
    /// The most entries that one walk looks at.
    static let entryCountMaximum = 1_000_000
    /// The most levels of nested directories.
    static let depthMaximum = 64

    let configuration: DirectoryConfiguration

    func unfinished(startedBefore: Date) throws(UploadError) -> [UnfinishedUpload] {
        let root = try openRoot()
        var walk = Walk()
        var waiting = [""]
        while let path = waiting.popLast(), walk.entryCount < Self.entryCountMaximum {
            do throws(SystemError) {
                let directory = path.isEmpty ? root : try root.openDirectory(beneath: path)
                try walk.visit(directory, path, &waiting)
            } catch {
                // The directory was removed or replaced, or the worker may not read it: it holds none of this worker's uploads.
                guard path.isEmpty || ![ENOENT, ENOTDIR, EACCES, ELOOP, EXDEV].contains(error.number) else {
                    throw UploadError(directory: error)
                }
            }
        }
        return walk.found.values.filter { $0.startedAt < startedBefore }.sorted { $0.startedAt < $1.startedAt }
    }

    func discard(_ upload: UnfinishedUpload) throws(UploadError) {
        guard let job = upload.job else { return }
        let components = upload.key.pathComponents
        guard let name = components.last else { return }
        let root = try openRoot()
        do throws(SystemError) {
            let parents = components.dropLast().joined(separator: "/")
            let directory = parents.isEmpty ? root : try root.openDirectory(beneath: parents)
            // The record is removed first, so that it never names bytes that are gone.
            for suffix in DirectoryTarget.unfinishedSuffixes {
                try directory.remove(".\(name)\(UnfinishedName.infix)\(job)\(suffix)")
            }
        } catch {
            if error.number == ENOENT { return }
            throw UploadError(directory: error)
        }
    }

    private func openRoot() throws(UploadError) -> Directory {
        do {
            return try Directory.open(configuration.path)
        } catch {
            throw UploadError(directory: error, isRoot: true)
        }
    }

    private struct Walk {
        var entryCount = 0
        /// By the name of the unfinished file, which contains the job's id.
        var found: [String: UnfinishedUpload] = [:]

        mutating func visit(
            _ directory: Directory, _ path: String, _ waiting: inout [String]
        ) throws(SystemError) {
            let prefix = path.isEmpty ? "" : path + "/"
            let depth = path.isEmpty ? 0 : path.utf8.count { $0 == UInt8(ascii: "/") } + 1
            var names: [(String, DirectoryTarget.Unfinished)] = []
            try directory.forEachEntry { name, kind throws(SystemError) in
                entryCount += 1
                if let unfinished = DirectoryTarget.unfinished(name) {
                    names.append((name, unfinished))
                } else if depth < DirectorySweep.depthMaximum {
                    var kind = kind
                    if kind == nil { kind = try directory.status(of: name)?.kind }
                    if kind == .directory { waiting.append(prefix + name) }
                }
                return entryCount < DirectorySweep.entryCountMaximum
            }
            for (name, unfinished) in names {
                guard let status = try directory.status(of: name), status.kind == .regular else { continue }
                add(unfinished, key: prefix + unfinished.name, modifiedAt: status.modifiedAt, bytes: status.size)
            }
        }

        private mutating func add(_ unfinished: DirectoryTarget.Unfinished, key: String, modifiedAt: Date, bytes: Int64)
        {
            if let known = found[unfinished.partName] {
                found[unfinished.partName]?.bytes = (known.bytes ?? 0).addingSaturating(bytes)
                found[unfinished.partName]?.startedAt = max(known.startedAt, modifiedAt)
            } else if found.count < UnfinishedUpload.countMaximum {
                found[unfinished.partName] = UnfinishedUpload(
                    key: key, sessionID: unfinished.partName, startedAt: modifiedAt, job: unfinished.job,
                    bytes: bytes)
            }
        }
    }
}

extension DirectoryTarget {
    /// Suffixes of the record, the file, and a mark that was not renamed, in the order of removal.
    static let unfinishedSuffixes = [".parts", ".part", ".part.job"]

    /// The parts of the name of an unfinished upload's file.
    struct Unfinished {
        /// The object's name, or a hash of a long name.
        let name: String
        let job: JobID

        var partName: String { ".\(name)\(UnfinishedName.infix)\(job).part" }
    }

    static func unfinished(_ fileName: String) -> Unfinished? {
        guard let suffix = unfinishedSuffixes.first(where: fileName.hasByteSuffix) else { return nil }
        return UnfinishedName.read(fileName, suffix: suffix).map { Unfinished(name: $0.name, job: $0.job) }
    }
}

import Foundation
import Glibc
import LinuxFiles
package import Uploads

extension Outbox {
    /// Whether a job is kept in the outbox of the staging area at this path, readable or not.
    package static func holds(_ job: JobID, inAreaAt path: String) -> Bool {
        [suffix, suffix + unreadableSuffix].contains { ending in
            var status = stat()
            return lstat("\(path)/\(name)/\(job)\(ending)", &status) == 0
        }
    }

    /// The names of the jobs' files, in the order of their ids, including those that could not be read.
    /// - Parameters:
    ///   - name: only names after this one.
    ///   - countMaximum: the most names that are returned; these are the first ones in order.
    func pending(after name: String?, atMost countMaximum: Int) async throws(UploadError) -> [String] {
        try await Blocking.run { [directory] () throws(UploadError) in
            var first = SmallestNames(atMost: countMaximum)
            do throws(SystemError) {
                try directory.forEachEntry { entry, _ in
                    if Self.isJob(entry), name.map({ $0 < entry }) ?? true { first.add(entry) }
                    return true
                }
            } catch {
                throw UploadError(staging: error)
            }
            return first.sorted
        }
    }

    /// The names of this area's staged copies that jobs in the outbox need.
    /// - Throws: also for a file that cannot be read, since the copy that its job needs is unknown.
    func stagedNames(of area: String) throws(SystemError) -> Set<String> {
        var files: [String] = []
        try directory.forEachEntry { name, _ in
            if Self.isJob(name) { files.append(name) }
            return true
        }
        var names: Set<String> = []
        for file in files {
            let body: [UInt8]
            do {
                body = try directory.open(file, O_RDONLY | O_NOFOLLOW).read(WireLimits.jobBytesMaximum, at: 0)
            } catch {
                if error.number == ENOENT { continue }
                throw error
            }
            guard let job = try? WireJSON.decode(UploadJob.self, from: Data(body)),
                case .staged(area, let name) = job.source
            else { continue }
            names.insert(name)
        }
        return names
    }

    static func isJob(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(suffix) || name.hasSuffix(suffix + unreadableSuffix))
    }
}

import Glibc
import LinuxFiles
public import Uploads

/// How much room a staging area takes and has.
public struct StagingUsage: Hashable, Sendable {
    /// Bytes of the staged copies, unfinished ones among them.
    public var bytes: Int64
    /// Bytes that are free on the area's file system.
    public var freeBytes: Int64
    public var capacityBytes: Int64
    /// Jobs that the outbox holds, those among them that cannot be read.
    public var outboxCount: Int
}

extension StagingArea {
    /// Files of each directory that ``usage()`` looks at; what is beyond is not counted.
    private static let usageFilesMaximum = 1_000_000

    /// Looks at each file of the area: some milliseconds for a thousand of them on a local disk.
    /// - Throws: `misconfigured` and others when the area cannot be read.
    public func usage() async throws(UploadError) -> StagingUsage {
        try await Blocking.run { [directory] () throws(UploadError) in
            do throws(SystemError) {
                let space = try directory.space()
                var usage = StagingUsage(
                    bytes: 0, freeBytes: space.freeBytes, capacityBytes: space.capacityBytes, outboxCount: 0)
                var left = Self.usageFilesMaximum
                try directory.forEachEntry { name, kind throws(SystemError) in
                    left -= 1
                    // A copy may be removed meanwhile.
                    if kind == nil || kind == .regular, let status = try directory.status(of: name),
                        status.kind == .regular
                    {
                        usage.bytes = usage.bytes.addingSaturating(status.size)
                    }
                    return left > 0
                }
                usage.outboxCount = try Outbox.count(in: directory, atMost: Self.usageFilesMaximum)
                return usage
            } catch {
                throw UploadError(staging: error)
            }
        }
    }
}

extension Outbox {
    /// The number of the jobs' files, including those that could not be read.
    static func count(in area: Directory, atMost countMaximum: Int) throws(SystemError) -> Int {
        let outbox: Directory
        do throws(SystemError) {
            outbox = try area.openDirectory(beneath: name)
        } catch {
            if error.number == ENOENT { return 0 }
            throw error
        }
        var count = 0
        try outbox.forEachEntry { entry, _ in
            if isJob(entry) { count += 1 }
            return count < countMaximum
        }
        return count
    }
}

import Foundation
import Glibc
import LinuxFiles
import Uploads

/// Whose a stored object is: kept in its extended attribute `user.longshore.job`, or in a side file that names its inode.
struct DirectoryMark: Codable, Sendable {
    static let attribute = "user.longshore.job"

    var job: String
    /// As on the wire, so that it sorts by time.
    var enqueuedAt: String
    var digests: Digests
    /// Of the object, in a side file only: one that belongs to an object since replaced says nothing.
    var inode: UInt64?

    init(_ job: UploadJob, digests: Digests) {
        let owner = JobMark(job)
        self.job = owner.job
        self.enqueuedAt = owner.enqueuedAt
        self.digests = digests
    }

    /// Whose the object is.
    var owner: JobMark { JobMark(job: job, enqueuedAt: enqueuedAt) }

    static func read(at place: DirectoryPlace, of status: FileStatus) throws(SystemError) -> DirectoryMark? {
        let object: File
        do throws(SystemError) {
            object = try place.directory.open(place.target.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            // Somebody else's, who lets nobody look.
            if error.number == EACCES { return nil }
            throw error
        }
        if let value = try object.attribute(attribute) { return decode(value) }
        do throws(SystemError) {
            let value = try place.directory.open(place.target.markName, O_RDONLY | O_NOFOLLOW)
                .read(File.attributeBytesMaximum, at: 0)
            return decode(value).flatMap { $0.inode == status.inode ? $0 : nil }
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    /// Marks the unfinished object, before it gets its name.
    func write(to object: File, at place: DirectoryPlace) throws(SystemError) {
        if place.target.configuration.usesExtendedAttributes,
            try object.setAttribute(Self.attribute, to: encoded)
        {
            return
        }
        var mark = self
        mark.inode = try object.status().inode
        let temporary = place.target.partName + ".job"
        let file = try place.directory.open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o644)
        try file.write(mark.encoded, at: 0)
        try file.synchronize()
        try place.directory.rename(temporary, to: place.target.markName)
    }

    private var encoded: [UInt8] { (try? WireJSON.encode(self)).map(Array.init) ?? [] }

    private static func decode(_ bytes: [UInt8]) -> DirectoryMark? {
        try? WireJSON.decode(DirectoryMark.self, from: Data(bytes))
    }
}

import Foundation
import Glibc
import LinuxFiles
import Uploads

/// The job to which a stored object belongs: kept in the object's extended attribute `user.longshore.job`, or in a side file that names
/// its inode.
struct DirectoryMark: Codable, Sendable {
    static let attribute = "user.longshore.job"

    var job: String
    /// In the wire format, so that it sorts by time.
    var enqueuedAt: String
    var digests: Digests
    /// The object's inode, in a side file only: a mark whose object was replaced has no meaning.
    var inode: UInt64?

    init(_ job: UploadJob, digests: Digests) {
        let owner = JobMark(job)
        self.job = owner.job
        self.enqueuedAt = owner.enqueuedAt
        self.digests = digests
    }

    /// The job and enqueue time of the object's owner.
    var owner: JobMark { JobMark(job: job, enqueuedAt: enqueuedAt) }

    static func read(at place: DirectoryPlace, of status: FileStatus) throws(SystemError) -> DirectoryMark? {
        try read(place.target.name, in: place.directory, of: status)
    }

    /// - Parameter name: of the object, which may be a link or gone.
    static func read(
        _ name: String, in directory: Directory, of status: FileStatus
    ) throws(SystemError) -> DirectoryMark? {
        let object: File
        do throws(SystemError) {
            object = try directory.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            // The file belongs to another user and cannot be read.
            if error.number == EACCES { return nil }
            throw error
        }
        if let value = try object.attribute(attribute) { return decode(value) }
        do throws(SystemError) {
            let value = try directory.open(DirectoryTarget.markName(of: name), O_RDONLY | O_NOFOLLOW)
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

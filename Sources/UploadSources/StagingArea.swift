import Foundation
import Glibc
import LinuxFiles
import Synchronization
public import Uploads

/// The directory that producers and workers share: accepted bytes wait here until they are at their destination.
///
/// The area has an id, in a file of its own, and jobs name the id. A copy has a unique name, mode 0640, the directory's group (2770),
/// and the digests of its blocks beside it. A copy becomes visible under its name when it is complete; the copy of a large file, which is sent
/// meanwhile, with its first block (``GrowingCopy``).
public final class StagingArea: Sendable {
    /// The id by which jobs name the area: a UUID.
    public let id: String
    /// The path of the directory.
    public let path: String

    let directory: Directory
    /// The names of staged copies that may not be durable yet.
    let unsynchronized = Mutex<[String]>([])
    /// The names of the copies that a claim of this process holds.
    let claimed = Mutex<Set<String>>([])

    private init(id: String, directory: Directory) {
        self.id = id
        self.path = directory.path
        self.directory = directory
    }

    /// Opens the area; creates the directory (mode 2770) and the id if they are missing. Several processes may do so at once.
    /// - Parameter group: the group of a directory that is created here; nil is this user's own.
    /// - Throws: `misconfigured` when the directory cannot be made or used, or the group does not exist.
    public static func open(at path: String, group: String? = nil) async throws(UploadError) -> StagingArea {
        try await Blocking.run { () throws(UploadError) in
            let groupID = try group.map(lookUp)
            do {
                try create(path, groupID)
                let directory = try Directory.open(path)
                return StagingArea(id: try identify(directory), directory: directory)
            } catch let error as SystemError {
                throw UploadError(staging: error)
            } catch let error as UploadError {
                throw error
            } catch {
                throw UploadError(.unknown, "the staging area \(path) cannot be opened", cause: error)
            }
        }
    }

    /// The name of a copy, after a check.
    /// - Throws: `invalidFile` for a name that no copy can have.
    static func checked(_ name: String) throws(UploadError) -> String {
        // Names that staging gives are UUIDs.
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 < 0x80 }), !name.hasPrefix("."),
            !name.hasSuffix(BlockDigests.suffix), name.utf8.count <= 200,
            !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0)
        else {
            throw UploadError(.invalidFile, "'\(name)' is no name of a staged copy: use the one that staging gave")
        }
        return name
    }
}

extension StagingArea {
    static let idName = ".longshore-area"

    private static func create(_ path: String, _ group: gid_t?) throws(SystemError) {
        var parent = ""
        for component in path.split(separator: "/").dropLast() {
            parent += (parent.isEmpty && !path.hasPrefix("/") ? "" : "/") + component
            guard mkdir(parent, 0o755) == 0 || errno == EEXIST else {
                if access(parent, X_OK) == 0 { continue }
                throw SystemError(call: "mkdir", path: parent)
            }
        }
        // The directory is closed to others until its group and mode are right.
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw SystemError(call: "mkdir", path: path)
        }
        let directory = try Directory.open(path)
        if let group { try directory.setGroup(group) }
        try directory.setMode(0o2770)
    }

    /// Reads the id, or creates one: of several processes that try at once, one wins and all read the same id.
    private static func identify(_ directory: Directory) throws -> String {
        if try directory.status(of: idName) == nil {
            let id = UUID().uuidString.lowercased()
            // Not the temporary name of a copy.
            let temporary = ".area.\(id).partial"
            let file = try directory.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o640)
            try file.write(Array("\(id)\n".utf8), at: 0)
            try file.setMode(0o640)
            try file.synchronize()
            if try directory.renameWithoutReplacing(temporary, to: idName) {
                try directory.synchronize()
            } else {
                try directory.remove(temporary)
            }
        }
        let text = String(decoding: try directory.open(idName, O_RDONLY).read(64, at: 0), as: UTF8.self)
        let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard UUID(uuidString: id) != nil else {
            throw UploadError(
                .misconfigured,
                "\(directory.path(of: idName)) should hold the staging area's id, a UUID: restore it, or use another area"
            )
        }
        return id
    }

    private static func lookUp(_ group: String) throws(UploadError) -> gid_t {
        var record = Glibc.group()
        var buffer = [CChar](repeating: 0, count: 65_536)
        var found: UnsafeMutablePointer<Glibc.group>?
        guard getgrnam_r(group, &record, &buffer, buffer.count, &found) == 0, found != nil else {
            throw UploadError(
                .misconfigured, "there is no group '\(group)' for the staging area: create it, or name another")
        }
        return record.gr_gid
    }
}

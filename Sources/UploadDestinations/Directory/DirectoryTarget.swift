import Foundation
import Glibc
import LinuxFiles
import Uploads

/// The place of a job's object below the root: the key, split and checked.
struct DirectoryTarget: Sendable {
    let job: UploadJob
    let configuration: DirectoryConfiguration
    /// Names of the directories below the root.
    let parents: [String]
    let name: String

    /// - Throws: `rejected` for a key that is empty, absolute, ends in a slash, or has `.`, `..`, an empty component or a NUL.
    init(_ job: UploadJob, _ configuration: DirectoryConfiguration) throws(UploadError) {
        self.job = job
        self.configuration = configuration
        let key = try Self.key(of: job.destination, below: configuration.path)
        let components = key.pathComponents
        for component in components where component.isEmpty || component == "." || component == ".." {
            throw Self.refused(
                key, "a key is a relative path without '.', '..', empty components or a slash at its end")
        }
        guard !key.utf8.contains(0) else { throw Self.refused("…", "a key has no NUL character") }
        // 255 bytes: what Linux file systems allow (path_resolution(7), NAME_MAX).
        guard components.allSatisfy({ $0.utf8.count <= 255 }) else {
            throw Self.refused(key, "no component may be longer than 255 bytes")
        }
        guard !Self.isReserved(components[components.count - 1]) else {
            throw Self.refused(key, "names such as '.NAME.longshore-…' are kept for unfinished uploads")
        }
        parents = components.dropLast()
        name = components[components.count - 1]
    }

    var displayPath: String { ([configuration.path] + parents + [name]).joined(separator: "/") }

    /// Name of the unfinished object.
    var partName: String { UnfinishedName.make(name, job.id.rawValue + ".part") }
    /// Name of the record of its parts.
    var recordName: String { UnfinishedName.make(name, job.id.rawValue + ".parts") }
    /// Name of the finished object's mark, on file systems without extended attributes.
    var markName: String { Self.markName(of: name) }

    static func markName(of name: String) -> String { UnfinishedName.make(name, "job") }

    /// Whether a name is kept for unfinished uploads and marks.
    static func isReserved(_ name: String) -> Bool {
        name.hasBytePrefix(".") && name.utf8.firstRange(of: UnfinishedName.infix.utf8) != nil
    }

    private static func key(of reference: DestinationReference, below root: String) throws(UploadError) -> String {
        switch reference {
        case .named(_, let key): return key
        case .url(let text):
            guard let url = URLComponents(string: text), url.scheme?.lowercased() == "file",
                [nil, "", "localhost"].contains(url.host)
            else { throw refused(DestinationReference.redact(text), "a file URL is file:///path") }
            let root = root.hasSuffix("/") ? root : root + "/"
            guard url.path.hasBytePrefix(root) else { throw refused(url.path, "it does not lie below \(root)") }
            return String(decoding: url.path.utf8.dropFirst(root.utf8.count), as: UTF8.self)
        }
    }

    private static func refused(_ key: String, _ reason: String) -> UploadError {
        UploadError(.rejected, "'\(key)' is no key for a directory: \(reason)")
    }
}

extension DirectoryTarget {
    /// Opens the directory in which the object belongs.
    /// - Returns: nil when the directory does not exist and is not to be created.
    func locate(creating: Bool) throws(UploadError) -> DirectoryPlace? {
        let root = try configuration.openRoot()
        do throws(SystemError) {
            return DirectoryPlace(target: self, directory: try descend(from: root, creating: creating))
        } catch {
            if error.number == ENOENT, !creating { return nil }
            throw UploadError(directory: error, below: configuration.path)
        }
    }

    private func descend(from root: Directory, creating: Bool) throws(SystemError) -> Directory {
        var current = root
        var path = ""
        for parent in parents {
            path += (path.isEmpty ? "" : "/") + parent
            do throws(SystemError) {
                current = try root.openDirectory(beneath: path)
            } catch {
                guard error.number == ENOENT, creating else { throw error }
                try current.makeDirectory(parent)
                try current.synchronize()
                current = try root.openDirectory(beneath: path)
            }
        }
        return current
    }
}

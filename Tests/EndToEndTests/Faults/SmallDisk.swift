import Foundation
import LinuxFiles
import UploadTesting

/// A file system of a few MiB in memory, visible only to programs that are started under ``wrapper``. It is mounted in a mount namespace
/// of its own, and disappears with the process that holds the namespace, however the tests end.
///
/// Needs root, or a kernel that gives users namespaces of their own; on a machine without both the test fails.
final class SmallDisk: Sendable {
    /// The mount point, as programs see it.
    let path: String
    private let holder: GuardedProcess

    /// - Parameters:
    ///   - directory: an existing directory, over which the file system is mounted for the programs inside.
    ///   - inodes: the most files and directories, the root directory among them; nil for as many as fit.
    static func mount(at directory: URL, bytes: Int, inodes: Int? = nil) async throws -> SmallDisk {
        let disk = try SmallDisk(directory, bytes, inodes)
        try await eventually("a small file system is mounted, which takes root or user namespaces") {
            guard disk.holder.isRunning else {
                throw DidNotHappen("this machine refuses to mount a file system: run as root, or allow user namespaces")
            }
            let mounts = try? File.contents(of: "/proc/\(disk.holder.pid)/mounts", atMost: 1 << 20)
            return String(decoding: mounts ?? [], as: UTF8.self).contains(" \(directory.path) tmpfs ")
        }
        return disk
    }

    private init(_ directory: URL, _ bytes: Int, _ inodes: Int?) throws {
        path = directory.path
        let rights = getuid() == 0 ? [] : ["--user", "--map-root-user"]
        let limit = inodes.map { ",nr_inodes=\($0)" } ?? ""
        let script = "mount -t tmpfs -o size=\(bytes)\(limit),mode=0777 tmpfs \"$0\" && exec sleep infinity"
        holder = try GuardedProcess(
            "/usr/bin/unshare", rights + ["--mount", "--propagation", "private", "sh", "-c", script, directory.path],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    }

    /// A command that executes a program in its own place, inside the namespace.
    var wrapper: [String] {
        let space = "/proc/\(holder.pid)/ns"
        let rights = getuid() == 0 ? [] : ["--user=\(space)/user", "--preserve-credentials"]
        return ["/usr/bin/nsenter"] + rights + ["--mount=\(space)/mnt", "--"]
    }

    /// The same directory, as the test can reach it.
    var inside: URL { URL(filePath: "/proc/\(holder.pid)/root\(path)") }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: inside.path).sorted() }

    /// Writes a file that takes up space.
    func fill(_ name: String, bytes: Int) throws {
        try Data(repeating: 1, count: bytes).write(to: inside.appending(path: name))
    }

    /// Takes up every free inode with empty files.
    /// - Returns: the names of the files.
    func fillInodes() throws -> [String] {
        var names: [String] = []
        while true {
            let name = "empty-\(names.count)"
            guard FileManager.default.createFile(atPath: inside.appending(path: name).path, contents: nil) else {
                return names
            }
            names.append(name)
        }
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(at: inside.appending(path: name)) }

    func unmount() async throws { try await holder.kill9() }
}

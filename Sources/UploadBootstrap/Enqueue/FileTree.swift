import Foundation
import Uploads

/// What the file system says of a path.
struct FileTree {
    struct File: Hashable {
        /// As it is opened.
        var path: String
        /// Relative to the directory it was found in; the base name for a file that was named itself.
        var key: String
        /// Bytes.
        var size: Int64
        var modifiedAt: Date
    }

    private(set) var files: [File] = []
    /// What was left out, and why: links to directories, sockets, pipes, devices.
    private(set) var skipped: [String] = []
    private(set) var problems: [ProgramError] = []

    /// A file, or all files of a directory and its directories, in the order of their paths' bytes. A link that is named
    /// itself is followed; inside a directory links to files are followed, links to directories are not (they may go
    /// round in a circle).
    init(_ path: String) {
        guard let status = Self.status(path) else {
            problems.append(Self.problem(path, errno))
            return
        }
        if status.isDirectory {
            walk(path, prefix: "")
        } else if status.isRegular {
            add(path, key: path.lastPathComponent, status)
        } else {
            problems.append(
                ProgramError(
                    .badInput, "\(path): not a regular file; to upload what a program writes, pipe it into '-'"))
        }
    }

    private mutating func walk(_ directory: String, prefix: String) {
        guard let names = Self.names(in: directory) else {
            problems.append(Self.problem(directory, errno))
            return
        }
        // Directories sort as if they ended in a slash, so that whole keys are in the order of their bytes.
        var entries: [(key: String, path: String, status: Status)] = []
        for name in names {
            guard let name else {
                problems.append(
                    ProgramError(.badInput, "\(directory): a file name in it is not UTF-8; rename the file"))
                continue
            }
            let path = directory.hasByteSuffix("/") ? directory + name : "\(directory)/\(name)"
            guard let status = Self.status(path) else {
                problems.append(Self.problem(path, errno))
                continue
            }
            if status.isDirectory, Self.isLink(path) {
                skipped.append("\(path): a link to a directory; name it as a PATH of its own to upload what is in it")
            } else if status.isDirectory || status.isRegular {
                entries.append((status.isDirectory ? name + "/" : name, path, status))
            } else {
                skipped.append("\(path): not a regular file")
            }
        }
        for entry in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if entry.status.isDirectory {
                walk(entry.path, prefix: prefix + entry.key)
            } else {
                add(entry.path, key: prefix + entry.key, entry.status)
            }
        }
    }

    private mutating func add(_ path: String, key: String, _ status: Status) {
        guard faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
            problems.append(Self.problem(path, errno))
            return
        }
        files.append(File(path: path, key: key, size: status.size, modifiedAt: status.modifiedAt))
    }

    struct Status {
        let isDirectory: Bool
        let isRegular: Bool
        let size: Int64
        let modifiedAt: Date
    }

    static func status(_ path: String) -> Status? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        let seconds = TimeInterval(status.st_mtim.tv_sec) + TimeInterval(status.st_mtim.tv_nsec) / 1e9
        return Status(
            isDirectory: kind == S_IFDIR, isRegular: kind == S_IFREG, size: Int64(status.st_size),
            modifiedAt: Date(timeIntervalSince1970: seconds))
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// nil stands for a name that is not UTF-8.
    private static func names(in directory: String) -> [String?]? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        var names: [String?] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// stat(2), open(2), opendir(3).
    private static func problem(_ path: String, _ code: Int32) -> ProgramError {
        switch code {
        case ENOENT, ENOTDIR:
            ProgramError(.noInput, "\(path): no such file or directory; check the name")
        case EACCES, EPERM:
            ProgramError(.refused, "\(path): may not be read by this user; check its permissions")
        case ELOOP: ProgramError(.noInput, "\(path): its links go round in a circle")
        default: ProgramError(.inputOutput, "\(path): cannot be read: \(String(cString: strerror(code)))")
        }
    }
}

import Foundation
import Glibc
import LinuxFiles
import Uploads

/// Walks a path and reports one finding after the other. It holds in memory only the names in the directories on the way to the
/// present file.
enum FileTree {
    struct File: Hashable {
        /// The path that opens the file.
        var path: FilePath
        /// The path relative to the directory that was named; the base name of a file that was named itself.
        var key: FilePath
        /// Bytes.
        var size: Int64
        /// When the contents changed last.
        var modifiedAt: Date
    }

    enum Finding {
        case file(File)
        /// A path that is left out, and the reason: links to directories, sockets, pipes, devices.
        case skipped(String)
        case problem(ProgramError)
    }

    typealias Tell = (Finding) throws(ProgramError) -> Void

    /// Reports a file, or all files of a directory and its directories that the filter takes, in the order of their paths' bytes. A link that
    /// was named itself is followed. Inside a directory, links to files are followed, and links to directories are not, because they may form
    /// a circle.
    /// - Throws: the errors of `tell`, which end the walk.
    static func walk(
        _ path: FilePath, _ filter: PathFilter = PathFilter(), _ tell: Tell
    ) throws(ProgramError) {
        switch status(of: path) {
        case .failure(let error): try tell(.problem(problem(error)))
        case .success(let status):
            switch status.kind {
            case .directory: try walk(directory: path, key: FilePath(""), filter, tell)
            case .regular: try tell(readable(path, key: path.lastName, status))
            default:
                try tell(
                    .problem(
                        ProgramError(
                            .badInput, "\(path): not a regular file; to upload what a program writes, pipe it into '-'")
                    ))
            }
        }
    }

    static func isDirectory(_ path: FilePath) -> Bool { (try? status(of: path).get())?.kind == .directory }

    private static func walk(
        directory: FilePath, key: FilePath, _ filter: PathFilter, _ tell: Tell
    ) throws(ProgramError) {
        let names: SortedNames
        do throws(SystemError) {
            names = try SortedNames(inDirectory: directory.bytes, named: directory.description)
        } catch {
            return try tell(.problem(problem(error)))
        }
        for place in 0..<names.count {
            let (name, isDirectory) = names[place]
            let (path, key) = (directory.appending(name), key.appending(name))
            if isDirectory {
                if !filter.excludes(key) { try walk(directory: path, key: key, filter, tell) }
            } else if filter.takes(key) {
                try tell(entry(path, key))
            }
        }
    }

    /// The finding for a directory entry that is not a directory.
    private static func entry(_ path: FilePath, _ key: FilePath) -> Finding {
        switch status(of: path) {
        case .failure(let error) where error.number == ENOENT:
            .problem(
                ProgramError(
                    .noInput,
                    "\(path): gone, or a link that leads nowhere; mend it, or leave it out with --exclude or --skip-errors"
                ))
        case .failure(let error): .problem(problem(error))
        case .success(let status):
            switch status.kind {
            case .directory:
                .skipped("\(path): a link to a directory; name it as a PATH of its own to upload what is in it")
            case .regular: readable(path, key: key, status)
            default: .skipped("\(path): not a regular file")
            }
        }
    }

    private static func readable(_ path: FilePath, key: FilePath, _ status: FileStatus) -> Finding {
        do throws(SystemError) {
            try LinuxFiles.File.checkReadable(bytes: path.bytes, named: path.description)
            return .file(File(path: path, key: key, size: status.size, modifiedAt: status.modifiedAt))
        } catch {
            return .problem(problem(error))
        }
    }

    private static func status(of path: FilePath) -> Result<FileStatus, SystemError> {
        Result { () throws(SystemError) in
            try LinuxFiles.File.status(ofBytes: path.bytes, named: path.description)
        }
    }

    /// The problem for an error of stat(2), open(2) or opendir(3).
    private static func problem(_ error: SystemError) -> ProgramError {
        let path = error.path
        return switch error.number {
        case ENOENT, ENOTDIR:
            ProgramError(.noInput, "\(path): no such file or directory; check the name")
        case EACCES, EPERM:
            ProgramError(.refused, "\(path): may not be read by this user; check its permissions")
        case ELOOP: ProgramError(.noInput, "\(path): its links go round in a circle")
        default: ProgramError(.inputOutput, "\(path): cannot be read: \(error.reason)")
        }
    }
}

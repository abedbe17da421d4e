import Foundation
import Glibc
import LinuxFiles
import UploadSources
import Uploads

/// Shows others whether a program still runs: a file that it keeps locked. The lock goes with the process, however that ends.
final class ProgramLock: Sendable {
    /// Unique for each manager that was opened.
    let token: String
    private let directory: Directory
    private let file: File

    private init(token: String, directory: Directory, file: File) {
        self.token = token
        self.directory = directory
        self.file = file
    }

    static func take(in directory: Directory) throws(UploadError) -> ProgramLock {
        do throws(SystemError) {
            while true {
                let token = UUID().uuidString.lowercased()
                let file = try directory.open(token, O_RDWR | O_CREAT | O_EXCL, mode: 0o660)
                // Before it was locked, somebody may have taken it for a dead program's and removed it.
                guard try file.tryLock(), let named = try directory.status(of: token),
                    named.isSameFile(as: try file.status())
                else { continue }
                return ProgramLock(token: token, directory: directory, file: file)
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Removes the file, so that nobody takes it for somebody who lives.
    func release() {
        try? directory.remove(token)
        file.unlock()
    }

    /// Whether the program with this token runs. What a dead one left is removed.
    static func isAlive(_ token: String, in directory: Directory) -> Bool {
        guard UUID(uuidString: token) != nil, let file = try? directory.open(token, O_RDWR) else { return false }
        guard let isFree = try? file.tryLock() else { return true }
        guard isFree else { return true }
        try? directory.remove(token)
        file.unlock()
        return false
    }
}

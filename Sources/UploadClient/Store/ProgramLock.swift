import Foundation
import Glibc
import LinuxFiles
import Synchronization
import UploadSources
import Uploads

/// A file that a running program keeps locked, so that other programs see that it runs. The lock ends with the process,
/// however that ends.
///
/// The file names the staged copies that no upload's record names yet; a program that finds the file of a dead one
/// removes these copies. The names are not flushed to the disk: copies that are left only after a power failure are
/// found by the staging area's clean-up.
final class ProgramLock: Sendable {
    private struct Noted {
        var copies: [ProgramCopy] = []
        var length = 0
    }

    /// Unique for each manager that was opened.
    let token: String
    private let directory: Directory
    private let file: File
    private let noted = Mutex(Noted())

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
                // Before the file was locked, another program may have taken it for a dead program's file and removed
                // it.
                guard try file.tryLock(), let named = try directory.status(of: token),
                    named.isSameFile(as: try file.status())
                else { continue }
                return ProgramLock(token: token, directory: directory, file: file)
            }
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// Removes the file, so that no program takes this one for a running program.
    func release() {
        try? directory.remove(token)
        file.unlock()
    }

    /// Notes that a copy is about to be staged.
    func add(_ copy: ProgramCopy) async { await change { $0.append(copy) } }

    /// Notes that a record names the copy, or that the copy is removed.
    func remove(_ copy: ProgramCopy) async { await change { $0.removeAll { $0 == copy } } }

    private func change(_ body: @escaping @Sendable (inout [ProgramCopy]) -> Void) async {
        await Blocking.run { [self] in
            noted.withLock { noted in
                body(&noted.copies)
                // One write replaces the whole text: a killed process dies before it or after it.
                var bytes = Array(noted.copies.map { $0.line + "\n" }.joined().utf8)
                let length = bytes.count
                bytes += Array(repeating: UInt8(ascii: "\n"), count: max(0, noted.length - length))
                noted.length = bytes.count
                // If a name cannot be written, the clean-up finds the copy.
                try? file.write(bytes, at: 0)
            }
        }
    }
}

/// What programs find out about each other. All calls block.
extension ProgramLock {
    private static let bytesMaximum = 1 << 20

    /// Whether the program with this token runs.
    static func isAlive(_ token: String, in directory: Directory) -> Bool {
        guard UUID(uuidString: token) != nil, let file = try? directory.open(token, O_RDWR) else { return false }
        guard let isFree = try? file.tryLock() else { return true }
        if isFree { file.unlock() }
        return !isFree
    }

    /// The programs that died without closing their managers, each locked for the caller.
    static func dead(in directory: Directory) throws(SystemError) -> [DeadProgram] {
        var tokens: [String] = []
        try directory.forEachEntry { name, _ in
            if UUID(uuidString: name) != nil { tokens.append(name) }
            return true
        }
        var programs: [DeadProgram] = []
        for token in tokens {
            guard let file = try? directory.open(token, O_RDWR), try file.tryLock() else { continue }
            guard let named = try directory.status(of: token), named.isSameFile(as: try file.status()) else { continue }
            let text = String(decoding: try file.read(bytesMaximum, at: 0), as: UTF8.self)
            programs.append(
                DeadProgram(token: token, copies: text.split(separator: "\n").compactMap(ProgramCopy.init), file: file))
        }
        return programs
    }
}

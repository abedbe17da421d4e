import LinuxFiles
import UploadSources
import Uploads

/// The programs of the identifier.
extension ClientStore {
    func lock() async throws(UploadError) -> ProgramLock {
        try await Blocking.run { [programs] () throws(UploadError) in try ProgramLock.take(in: programs) }
    }

    func isAlive(_ token: String) async -> Bool {
        await Blocking.run { [programs] in ProgramLock.isAlive(token, in: programs) }
    }

    /// Whether the program has neither closed its manager nor been cleaned up after its death.
    func isKnown(_ token: String) async throws(UploadError) -> Bool {
        try await run { () throws(SystemError) in try programs.status(of: token) != nil }
    }

    /// Each returned program is locked for the caller until the caller unlocks its file.
    func deadPrograms() async throws(UploadError) -> [DeadProgram] {
        try await run { () throws(SystemError) in try ProgramLock.dead(in: programs) }
    }

    /// Removes a dead program's file, once all its remains are cleaned up.
    func forget(_ program: DeadProgram) async throws(UploadError) {
        try await run { () throws(SystemError) in
            try programs.remove(program.token)
            program.file.unlock()
        }
    }
}

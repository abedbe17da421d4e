import LinuxFiles
import UploadSources
import Uploads

/// Who runs.
extension ClientStore {
    func lock() async throws(UploadError) -> ProgramLock {
        try await Blocking.run { [programs] () throws(UploadError) in try ProgramLock.take(in: programs) }
    }

    func isAlive(_ token: String) async -> Bool {
        await Blocking.run { [programs] in ProgramLock.isAlive(token, in: programs) }
    }

    /// Whether a program with this token has neither closed its manager nor been cleared up after.
    func isKnown(_ token: String) async throws(UploadError) -> Bool {
        try await run { () throws(SystemError) in try programs.status(of: token) != nil }
    }

    /// Each is the caller's until its file is unlocked.
    func deadPrograms() async throws(UploadError) -> [DeadProgram] {
        try await run { () throws(SystemError) in try ProgramLock.dead(in: programs) }
    }

    /// All that a dead program left has been seen to.
    func forget(_ program: DeadProgram) async throws(UploadError) {
        try await run { () throws(SystemError) in
            try programs.remove(program.token)
            program.file.unlock()
        }
    }
}

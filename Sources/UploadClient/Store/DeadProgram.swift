import LinuxFiles

/// A program that died without closing its manager. The caller has its file locked, so that one program at a time clears up after it.
struct DeadProgram: Sendable {
    let token: String
    /// What it was staging.
    let copies: [ProgramCopy]
    let file: File
}

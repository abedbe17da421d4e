import LinuxFiles

/// A program that died without closing its manager. The caller has its file locked, so that only one program at a time
/// cleans up after it.
struct DeadProgram: Sendable {
    let token: String
    /// The copies that it was staging.
    let copies: [ProgramCopy]
    let file: File
}

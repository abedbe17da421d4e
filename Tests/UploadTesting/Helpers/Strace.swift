/// A fault in the system calls of a program (strace(1), "Tampering").
public enum Strace {
    /// A command that executes a program in its own place, so that the process id is the program's.
    /// - Parameters:
    ///   - fault: what happens, and at which call of each thread: `error=EIO`, `signal=KILL:when=5`.
    ///   - calls: the names of the system calls, with commas between them.
    ///   - paths: only calls about these files and directories; none: all calls.
    public static func injecting(_ fault: String, into calls: String, about paths: [String] = []) -> [String] {
        ["/usr/bin/strace", "-D", "-f", "-qq", "-o", "/dev/null"] + paths.flatMap { ["-P", $0] }
            + ["-e", "trace=\(calls)", "-e", "inject=\(calls):\(fault)", "--"]
    }
}

import CLinux

/// How programs that run for long keep freed memory.
enum Allocator {
    private static let arenaMaximum: CInt = 2
    /// Free memory at the end of the heap that stays: 64 MiB.
    private static let trimBytes: CInt = 64 << 20
    /// What is larger than 16 MiB has a mapping of its own.
    private static let mapBytes: CInt = 16 << 20

    /// Before there are many threads. Buffers are allocated by those that read and freed by those that send: with an arena for each
    /// thread all keep as much as any of them ever needed, and a buffer that goes back to the system each time costs page faults.
    static func tune() { _ = linux_tune_allocator(arenaMaximum, trimBytes, mapBytes) }
}

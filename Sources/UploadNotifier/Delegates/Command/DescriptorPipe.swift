import CLinux
import Glibc
import Synchronization

/// The two ends of a pipe(2), closed when the last reference goes, and not inherited by child processes.
final class DescriptorPipe: Sendable {
    let reading: Int32
    let writing: Int32
    private let isOpen = Mutex((reading: true, writing: true))

    init() throws(CommandRun.StartFailure) {
        var ends: [Int32] = [-1, -1]
        guard linux_pipe(&ends) == 0 else { throw CommandRun.StartFailure(errno: errno) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        isOpen.withLock { isOpen in
            if isOpen.reading { close(reading) }
            isOpen.reading = false
        }
    }

    func closeWriting() {
        isOpen.withLock { isOpen in
            if isOpen.writing { close(writing) }
            isOpen.writing = false
        }
    }

    /// Writes one byte, which wakes the thread that polls the other end.
    func write(_ byte: UInt8) {
        var byte = byte
        while Glibc.write(writing, &byte, 1) == -1, errno == EINTR {}
    }

    /// Reads the available bytes, after poll(2) has reported some.
    func read() -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Glibc.read(reading, &bytes, bytes.count)
        return bytes.prefix(max(0, count))
    }
}

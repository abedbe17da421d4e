import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(1))) struct FileContentsTests {
    @Test func `a file of the kernel, which tells no size, is read to its end`() throws {
        // The file tells everything of this process's memory, a line for each figure of each mapping.
        let text = String(decoding: try File.contents(of: "/proc/self/smaps", atMost: 64 << 20), as: UTF8.self)
        #expect(text.utf8.count > 4096 && text.contains("[stack]") && text.hasSuffix("\n"))
    }

    @Test func `a pipe is read to its end`() throws {
        let scratch = try TemporaryDirectory()
        let path = scratch.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        // Both ends block their threads: the pool of tasks may have no other one for the writer.
        Thread.detachNewThread { try? FileHandle(forWritingAtPath: path)?.write(contentsOf: bytes) }
        #expect(try File.contents(of: path, atMost: bytes.count) == Array(bytes))
    }

    @Test func `more bytes than are wanted are an error`() throws {
        let scratch = try TemporaryDirectory()
        _ = try scratch.write([UInt8](repeating: 1, count: 100_000), to: "file")
        #expect(try File.contents(of: scratch.path("file"), atMost: 100_000).count == 100_000)
        let error = #expect(throws: SystemError.self) { try File.contents(of: scratch.path("file"), atMost: 99_999) }
        #expect(error?.number == EFBIG)
        #expect(throws: SystemError.self) { try File.contents(of: scratch.path("none"), atMost: 1) }
    }
}

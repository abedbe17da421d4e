import Foundation
import Testing

@testable import UploadBootstrap

struct ProcessFiguresTests {
    private let system = "cpu 1 2 3\nbtime 1790000000\nprocesses 7\n"

    @Test func `the kernel's fields are counted behind the name, whatever that is`() throws {
        let stat =
            "42 (a) (b 1) S 1 42 42 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 9 0 12345 1048576 256 18446744073709551615"
        let figures = try #require(ProcessFigures(stat: stat, system: system, ticksPerSecond: 100))
        #expect(figures.processorSeconds == 4 && figures.startedAt == 1_790_000_123.45)
        #expect(figures.virtualBytes == 1_048_576 && figures.residentPages == 256)
    }

    @Test(arguments: ["", "42 (a) S 1", "42 (a) S 1 42 42 0 -1 1 1 0 0 0 x 150 0 0 20 0 9 0 12345 1048576 256"])
    func `what is no such text gives no figures`(stat: String) {
        #expect(ProcessFigures(stat: stat, system: system, ticksPerSecond: 100) == nil)
    }

    @Test func `of this process they are plausible`() throws {
        let stat = try String(contentsOfFile: "/proc/self/stat", encoding: .utf8)
        let figures = try #require(
            ProcessFigures(
                stat: stat, system: String(contentsOfFile: "/proc/stat", encoding: .utf8),
                ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK)))))
        #expect(abs(figures.startedAt - Date().timeIntervalSince1970) < 86_400)
        #expect(figures.residentPages > 1000 && figures.processorSeconds > 0)
    }
}

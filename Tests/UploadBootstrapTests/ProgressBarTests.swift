import Testing

@testable import UploadBootstrap

struct ProgressBarTests {
    private let bar = ProgressBar(
        bytesDone: 27 << 20, bytesTotal: 64 << 20, filesDone: 1, filesTotal: 2, bytesPerSecond: Double(12 << 20))

    @Test func `at 80 columns everything fits`() {
        let line = bar.line(columns: 80)
        #expect(line == " 42%  [=======>         ]  27.0 MiB of 64.0 MiB  12.0 MiB/s  ETA 0:04  1/2 files")
    }

    @Test(arguments: 1...200)
    func `no line is wider than the terminal`(columns: Int) { #expect(bar.line(columns: columns).count <= columns) }

    @Test func `what matters least goes first`() {
        #expect(bar.line(columns: 60).contains("ETA"))
        #expect(!bar.line(columns: 60).contains("["))
        #expect(bar.line(columns: 20) == " 42%  1/2 files")
    }

    @Test func `what is unknown is said to be`() {
        let start = ProgressBar(bytesDone: 0, bytesTotal: 10, filesDone: 0, filesTotal: 1)
        #expect(start.line(columns: 80).contains("-- B/s"))
        #expect(start.line(columns: 80).contains("--:--"))
        #expect(start.line(columns: 80).hasSuffix("0/1 file"))
    }

    @Test func `files without bytes count as files, and failures are shown`() {
        let empty = ProgressBar(bytesDone: 0, bytesTotal: 0, filesDone: 1, filesTotal: 2, failed: 1)
        #expect(empty.line(columns: 80).hasPrefix(" 50%"))
        #expect(empty.line(columns: 80).hasSuffix("1/2 files, 1 failed"))
    }

    @Test func `the rate is that of the last ten seconds`() throws {
        var meter = RateMeter()
        meter.note(0, at: 0)
        #expect(meter.bytesPerSecond == nil)
        meter.note(100, at: 1)
        #expect(meter.bytesPerSecond == 100)
        for second in 2...30 { meter.note(100, at: Double(second)) }
        #expect(meter.bytesPerSecond == 0)
    }
}

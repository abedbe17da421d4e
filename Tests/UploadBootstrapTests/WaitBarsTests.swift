import Testing

@testable import UploadBootstrap

struct WaitBarsTests {
    private func bars(_ count: Int, name: String = "photos/2026/11/IMG_") -> WaitBars {
        let uploads = (0..<min(count, WaitBars.countMaximum)).map { number in
            UploadBar(
                name: "\(name)\(number).jpg", bytesDone: 27 << 20, bytesTotal: 64 << 20,
                bytesPerSecond: number == 0 ? nil : Double(12 << 20))
        }
        let total = ProgressBar(
            bytesDone: 27 << 20, bytesTotal: 640 << 20, filesDone: 1, filesTotal: 20, bytesPerSecond: Double(12 << 20))
        return WaitBars(uploads: uploads, runningCount: count, total: total)
    }

    @Test func `each upload that runs has a bar, and the total comes last`() {
        #expect(
            bars(2).lines(columns: 79, rows: 24) == [
                "photos/2026/11/IMG_0.jpg     [=======>         ]   42%      -- B/s  ETA   --:--",
                "photos/2026/11/IMG_1.jpg     [=======>         ]   42%  12.0 MiB/s  ETA    0:04",
                bars(2).total.line(columns: 79),
            ])
    }

    @Test func `at most eight have a bar, and the others are counted`() {
        let lines = bars(20).lines(columns: 79, rows: 24)
        #expect(lines.count == 10 && lines[8] == "and 12 more")
        #expect(bars(8).lines(columns: 79, rows: 24).count == 9, "there are no more")
        let few = bars(20).lines(columns: 79, rows: 9)
        #expect(few.count == 6 && few[4] == "and 16 more")
        #expect(bars(0).lines(columns: 79, rows: 24).count == 1)
    }

    @Test(arguments: 1...120) func `no line is wider than the terminal, and they leave room above`(size: Int) {
        let names = ["a", String(repeating: "long name ", count: 20), "日本語のファイル名", "e\u{1B}[2J"]
        for name in names {
            let lines = bars(20, name: name).lines(columns: size, rows: size)
            #expect(lines.allSatisfy { PlainText.width($0) <= size && !$0.contains("\u{1B}") }, "\(lines)")
            #expect(lines.count == 1 || lines.count < size)
        }
    }

    @Test func `a long name is shortened in its middle`() {
        let line = bars(1, name: String(repeating: "folder/", count: 20)).lines(columns: 79, rows: 24)[0]
        #expect(line.hasPrefix("folder/") && line.contains("…") && line.contains("0.jpg  ["))
    }

    @Test(
        arguments: [
            (["TERM": "xterm"], true), (["TERM": "dumb"], false), ([:], false), (["TERM": ""], false),
            (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "xterm", "NO_COLOR": ""], true),
        ] as [([String: String], Bool)])
    func `a terminal is steered only if it can be, and NO_COLOR is not set`(
        environment: [String: String], isAllowed: Bool
    ) {
        #expect(Console.allowsDrawing(environment) == isAllowed)
    }
}

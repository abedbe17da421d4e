import Foundation
import Testing

@testable import UploadNotifier

@Suite struct HTMLTests {
    @Test func `what is put into HTML is escaped, and HTML is not`() {
        let hostile = #"<script>alert("1")</script> & 'x'"#
        let inner: HTML = "<b>\(hostile)</b>"
        let html: HTML = "<p title=\"\(hostile)\">\(inner)\(name: "<i>")\(3)</p>"
        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;"
        #expect(html.text == "<p title=\"\(escaped)\"><b>\(escaped)</b><bdi>&lt;i&gt;</bdi>3</p>")
    }

    @Test(arguments: [
        "\u{202E}gpj.exe", "a\u{200F}b", "a\u{2066}b", "a\nb", "a\u{1B}[31mb", "a\u{0}b", "a\u{2028}b", "a\u{200B}b",
    ])
    func `invisible characters are shown`(text: String) {
        #expect(HTML.escape(text).contains("\u{FFFD}"))
        #expect(
            HTML.escape(text).unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x200B...0x206F).contains($0.value) })
    }

    @Test func `other scripts and emoji stay as they are`() {
        for text in ["Ärger/日本語.jpg", "שלום", "👩‍🚀.png", "e\u{301}"] { #expect(HTML.escape(text) == text) }
    }
}

@Suite struct DashboardTextTests {
    @Test(arguments: zip([0, 999, 1000, 1_234_567, -1200], ["0", "999", "1,000", "1,234,567", "−1,200"]))
    func `counts are grouped`(value: Int, text: String) { #expect(DashboardText.count(value) == text) }

    @Test(
        arguments: zip(
            [-5, 0, 999, 1024, 1_572_864, 64 << 20, 1_073_741_823, Int64.max],
            ["0 B", "0 B", "999 B", "1.00 KiB", "1.50 MiB", "64.0 MiB", "1.00 GiB", "8,192 PiB"]))
    func `bytes have three digits and a binary unit`(value: Int64, text: String) {
        #expect(DashboardText.bytes(value) == text)
    }

    @Test(
        arguments: zip(
            [0, 59.4, 60, 3599, 3600, 7500, 86_400, 90_061, .infinity, .nan],
            ["0 s", "59 s", "1 min", "59 min", "1 h", "2 h 5 min", "1 d", "1 d 1 h", "years", "years"]))
    func `durations have their two largest units`(seconds: TimeInterval, text: String) {
        #expect(DashboardText.duration(seconds) == text)
    }

    @Test(
        arguments: zip(
            [0, 0.05, 0.4, 3, 9.999, 12.34, 1200, .infinity], ["0", "0.05", "0.4", "3", "10", "12.3", "1,200", "?"]))
    func `figures have no noughts at their end`(value: Double, text: String) {
        #expect(DashboardText.figure(value) == text)
    }

    @Test func `times are shown as distances from now`() {
        let now = Sample.start
        func words(_ seconds: TimeInterval) -> String {
            String(DashboardText.time(now + seconds, now: now).text.split(whereSeparator: { "<>".contains($0) })[1])
        }
        #expect(words(-5) == "just now" && words(-150) == "2 min ago")
        #expect(words(5) == "in less than a minute" && words(600) == "in 10 min")
    }
}

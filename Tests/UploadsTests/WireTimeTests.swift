import Foundation
import Testing

@testable import Uploads

@Suite("Times on the wire")
struct WireTimeTests {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    @Test func `a time that was read is written as it was, however often`() throws {
        for number in 0..<2000 {
            let milliseconds = Int64(number) * 126_701_150_399 % 253_402_300_799_999
            let text = WireJSON.timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
            let date = try #require(WireJSON.date(text))
            #expect(WireJSON.timestamp(date) == text)
            #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == milliseconds)
        }
    }

    @Test(arguments: [
        "1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2100-02-28T12:00:00.001Z", "2000-12-31T00:00:00Z",
        "2026-11-21T08:00:00+01:00", "2026-11-21T08:00:00.5Z", "2023-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-11-21 08:00:00Z", "2026-11-21T08:00:0xZ", "",
    ])
    func `a text is read as the calendar reads it`(text: String) {
        let byCalendar =
            (try? Date(text, strategy: Self.style)) ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
        #expect(WireJSON.date(text) == byCalendar)
    }
}

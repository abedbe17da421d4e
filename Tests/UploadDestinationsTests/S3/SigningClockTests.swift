import Foundation
import Testing

@testable import UploadDestinations

@Suite struct SigningClockTests {
    private let date = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `every form of an HTTP date is read`(text: String) {
        #expect(HTTPDate.parse(text, now: date) == date)
    }

    @Test(arguments: [
        "", "GMT", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 XXX 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func `what is no HTTP date is none`(text: String) {
        #expect(HTTPDate.parse(text, now: date) == nil)
    }

    @Test func `a leap second is a second`() {
        #expect(
            HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: date)
                == HTTPDate.parse("Sun, 01 Jan 2017 00:00:00 GMT", now: date))
    }

    @Test func `a year of two digits is of the century that is nearest`() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let past = HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        #expect(past == date)
        let next = HTTPDate.parse("Friday, 06-Nov-30 08:49:37 GMT", now: now)
        #expect(next == HTTPDate.parse("Wed, 06 Nov 2030 08:49:37 GMT", now: now))
    }

    @Test func `a skew that could hurt is corrected, once`() {
        let clock = S3Clock()
        let late = date - 3600
        #expect(clock.now(late) == late)
        // Two requests in progress: each of them is worth repeating.
        #expect(clock.learn(serverDate: "Sun, 06 Nov 1994 08:49:37 GMT", signedAt: late - 1, local: late))
        #expect(clock.learn(serverDate: "Sun, 06 Nov 1994 08:49:38 GMT", signedAt: late - 1, local: late + 1))
        #expect(clock.now(late + 10) == date + 10)
        let repeated = clock.now(late + 9)
        #expect(!clock.learn(serverDate: "Sun, 06 Nov 1994 08:49:47 GMT", signedAt: repeated, local: late + 9))
        #expect(clock.now(late) == date)
        let set = clock.now(date)
        #expect(
            clock.learn(serverDate: "Sun, 06 Nov 1994 08:49:37 GMT", signedAt: set, local: date), "the clock was set")
        #expect(clock.now(date) == date)
    }

    @Test func `a small skew and a bad date change nothing`() {
        let clock = S3Clock()
        let early = date - 60
        #expect(!clock.learn(serverDate: "Sun, 06 Nov 1994 08:49:37 GMT", signedAt: early, local: early))
        #expect(!clock.learn(serverDate: "yesterday", signedAt: date - 9999, local: date))
        #expect(clock.offsetSeconds == 0)
    }

    @Test(arguments: [
        (0.0, "19700101T000000Z"), (-5, "19700101T000000Z"), (1_440_938_160.9, "20150830T123600Z"),
        (951_827_696, "20000229T123456Z"), (.infinity, "99991231T235959Z"),
    ])
    func `a signature's date is written in UTC`(seconds: Double, text: String) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(SigV4Date(date).timestamp == text)
        #expect(SigV4Date.parse(text).map(SigV4Date.init) == SigV4Date(date))
    }
}

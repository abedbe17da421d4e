import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

struct RowTextTests {
    private static func event(_ kind: EventKind) throws -> Data {
        var baton = Baton(job: Sample.job(key: "2026/11/a.jpg").redacted)
        baton.startedAt = Sample.start
        return try WireJSON.encode(UploadEvent(kind: kind, of: baton, at: Sample.start))
    }

    @Test func `an event takes a third of its JSON, and comes back byte for byte`() throws {
        for kind in [EventKind.started, .waiting, .completed, .failed] {
            let json = try Self.event(kind)
            let stored = RowText.stored(json)
            #expect(stored.count * 3 < json.count, "\(kind): \(stored.count) of \(json.count) bytes")
            #expect(try RowText.json(stored) == json)
        }
    }

    @Test func `every text comes back, short, long and incompressible`() throws {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 2, 10, 100, 1000, 100_000, 5_000_000] {
            let bytes = Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() as UInt64) })
            for text in [bytes, Data([1]) + bytes, Data(repeating: 0x41, count: count)] {
                #expect(try RowText.json(RowText.stored(text)) == text)
            }
        }
    }

    @Test func `a row from before is its JSON`() throws {
        let json = try Self.event(.started)
        #expect(try RowText.json(json) == json)
    }

    /// With another dictionary, the rows of all ledgers would be lost.
    @Test func `rows that were written before stay readable`() throws {
        let stored = try #require(
            Data(
                base64Encoded: """
                    ASRk9QAA80ACeCuxUzQVP8YOBvzdB8Awk7PbjiDcjEGP+DewKNIu6w==
                    """, options: .ignoreUnknownCharacters))
        #expect(
            String(decoding: try RowText.json(stored), as: UTF8.self)
                == #"{"data":{"attempts":0,"bytesSent":7,"endedAt":"2026-11-26T18:34:10.512Z"},"type":"upload.completed"}"#
        )
    }

    @Test func `damage is noticed, wherever it is`() throws {
        let json = try Self.event(.completed)
        let stored = RowText.stored(json)
        for index in stored.indices {
            for bit in 0..<8 {
                var damaged = stored
                damaged[index] ^= 1 << bit
                guard let read = try? RowText.json(damaged) else { continue }
                // Without the mark it counts as JSON, and is none.
                let isNoJSON = index == stored.startIndex && !WireJSON.isJSON(read)
                #expect(read == json || isNoJSON, "bit \(bit) of byte \(index)")
            }
            #expect(throws: RowText.Failure.self) { try RowText.json(stored.prefix(max(index, 1))) }
        }
    }

    @Test func `a row that claims to be enormous is refused`() {
        // The frame's header has a content size of 8 bytes (RFC 8878, section 3.1.1.1).
        for size in [UInt64(64 << 20) + 1, 1 << 40, .max, .max - 1] {
            var frame = Data([1, 0xE0])
            withUnsafeBytes(of: size.littleEndian) { frame.append(contentsOf: $0) }
            #expect(throws: RowText.Failure.self) { try RowText.json(frame + [1, 0, 0]) }
        }
    }

    @Test(arguments: ["job.1.1.0.started", "job", "job=", "=odd", "", "other.1.ended", "jobs", "=", "job\u{301}.1"])
    func `ids become short and come back`(id: String) {
        let stored = RowEventID.stored(id, of: "job")
        #expect(Array(RowEventID.id(stored, of: "job").utf8) == Array(id.utf8))
        if id.hasPrefix("job.") { #expect(stored.utf8.count == id.utf8.count - 3) }
    }
}

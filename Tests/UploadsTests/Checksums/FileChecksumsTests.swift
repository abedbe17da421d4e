import Foundation
import Testing

@testable import Uploads

@Suite struct FileChecksumsTests {
    private static let bytes = (0..<100).map { UInt8($0 * 7 & 0xff) }

    private func checksum(_ range: Range<Int64>) -> CRC64NVME {
        CRC64NVME(of: Self.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    @Test func `stretches in any order become the checksum of the whole`() {
        let cuts: [Int64] = [0, 1, 8, 30, 31, 70, 99, 100]
        let ranges = zip(cuts, cuts.dropFirst()).map { $0..<$1 }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            var checksums = FileChecksums()
            for (count, range) in ranges.shuffled(using: &random).enumerated() {
                #expect(checksums.checksum(of: 0..<100) == nil)
                checksums.insert(checksum(range), of: range)
                let unread = checksums.unread(of: 100)
                #expect((count == ranges.count - 1) == unread.isEmpty)
                for stretch in checksums.stretches { #expect(stretch.checksum == checksum(stretch.range)) }
                let covered = checksums.stretches.map(\.range) + unread
                #expect(covered.reduce(0) { $0 + $1.count } == 100)
            }
            #expect(checksums.stretches.count == 1)
            #expect(checksums.checksum(of: 0..<100) == checksum(0..<100))
        }
    }

    @Test func `a stretch takes the place of those that lie within it`() {
        var checksums = FileChecksums()
        for range: Range<Int64> in [0..<5, 10..<20, 30..<40] { checksums.insert(checksum(range), of: range) }
        checksums.insert(checksum(5..<30), of: 5..<30)
        #expect(checksums.stretches.map(\.range) == [0..<40])
        #expect(checksums.checksum(of: 0..<40) == checksum(0..<40))
        checksums.insert(checksum(0..<100), of: 0..<100)
        #expect(checksums.checksum(of: 0..<100) == checksum(0..<100))
    }

    @Test func `what overlaps a known stretch adds nothing`() {
        var checksums = FileChecksums()
        checksums.insert(checksum(10..<20), of: 10..<20)
        let before = checksums
        for range: Range<Int64> in [5..<11, 19..<30, 10..<20, 12..<15, 15..<15] {
            checksums.insert(CRC64NVME(9), of: range)
            #expect(checksums == before, "\(range)")
        }
        #expect(checksums.unread(of: 15) == [0..<10])
        checksums.insert(checksum(30..<40), of: 30..<40)
        let both = checksums
        checksums.insert(checksum(15..<50), of: 15..<50)
        #expect(checksums == both, "a stretch within it is lost")
        #expect(checksums.unread(of: 5) == [0..<5])
    }

    private func state(_ checksums: String) throws -> UploadState {
        try WireJSON.decode(
            UploadState.self, from: Data(#"{"driver":"s3","payload":{},"checksums":\#(checksums)}"#.utf8))
    }

    @Test func `a message carries so many stretches, and their bounds are checked`() throws {
        var state = UploadState(driver: "s3", payload: [:])
        for index in 0..<Int64(FileChecksums.stretchesMaximum + 5) {
            state.checksums.insert(CRC64NVME(5), of: 2 * index..<2 * index + 1)
        }
        let read = try WireJSON.decode(UploadState.self, from: WireJSON.encode(state))
        #expect(read.checksums.stretches == Array(state.checksums.stretches.prefix(FileChecksums.stretchesMaximum)))

        let one = #"{"from":0,"to":8,"crc64nvme":"00000000000000ff"}"#
        #expect(try self.state("[\(one)]").checksums.checksum(of: 0..<8) == CRC64NVME(255))
        #expect(try self.state(#"[{"from":9,"to":8,"crc64nvme":"1"}]"#).checksums.isEmpty)
        for wrong in [
            #"{"from":-1,"to":8,"crc64nvme":"1"}"#,
            #"{"from":0,"to":9223372036854775807,"crc64nvme":"1"}"#, #"{"from":0,"to":8,"crc64nvme":"x"}"#,
            #"{"from":0,"to":8,"crc64nvme":"11111111111111111"}"#, #"{"from":0,"to":8}"#,
            Array(repeating: one, count: FileChecksums.stretchesMaximum + 1).joined(separator: ","),
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try self.state("[\(wrong)]") }
        }
    }

    @Test func `the checksums stay with the session, and go with it`() {
        var state = UploadState(driver: "s3", payload: ["id": "u"], bytesMissing: 7)
        state.checksums.insert(CRC64NVME(5), of: 0..<1)
        #expect(state.session?.checksums == state.checksums)
        #expect(state.shown.checksums == state.checksums)
        state.payload = [:]
        #expect(state.session == nil)
    }
}

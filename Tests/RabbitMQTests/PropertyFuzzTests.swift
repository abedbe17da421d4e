import CRabbitMQ
import Foundation
import Testing
import UploadTesting

@testable import RabbitMQ

/// Properties of messages as they are on the wire, through the library's own decoder.
@Suite(.timeLimit(.minutes(600))) struct PropertyFuzzTests {
    @Test func `properties that can be decoded can be sent again, and come back the same`() throws {
        let library = Library()
        var fuzz = Fuzz(for: "properties of messages")
        var decodedCount = 0
        for input in 0..<Fuzz.inputCount {
            var bytes = Self.properties(&fuzz)
            if fuzz.chance(3) { bytes = Array(fuzz.damaged(Data(bytes))) }
            guard let message = library.decodeMessage(bytes) else { continue }
            decodedCount += 1
            let comment: Comment = "seed \(fuzz.seed), input \(input)"
            #expect(throws: Never.self, comment) { try message.validate() }
            let encoded = try #require(library.encode(message), comment)
            let again = try #require(library.decodeMessage(encoded), comment)
            #expect(bare(again) == bare(message) && canonical(again.headers) == canonical(message.headers), comment)
        }
        #expect(decodedCount > Fuzz.inputCount / 4)
    }

    private func bare(_ message: Message) -> Message {
        var message = message
        message.headers = [:]
        return message
    }

    /// The flags, and behind them the values of the set flags, in their order (AMQP 0-9-1, section 4.2.6.1).
    private static func properties(_ fuzz: inout Fuzz) -> [UInt8] {
        let flags = UInt16(truncatingIfNeeded: fuzz.word()) & ~3
        var bytes = withUnsafeBytes(of: flags.bigEndian) { Array($0) }
        for bit in (2...15).reversed() where flags >> UInt16(bit) & 1 == 1 {
            switch bit {
            case 13: bytes += HeaderBytes.table(&fuzz, depth: 0)
            case 11, 12: bytes.append(UInt8(truncatingIfNeeded: fuzz.word()))
            case 6:
                bytes += withUnsafeBytes(of: fuzz.chance(2) ? fuzz.word() : UInt64(bitPattern: fuzz.integer())) {
                    Array($0)
                }
            default:
                let text =
                    fuzz.chance(4)
                    ? (0..<255).map { _ in UInt8(truncatingIfNeeded: fuzz.word()) } : Array(fuzz.text().utf8)
                bytes += HeaderBytes.short(Array(text.prefix(255)))
            }
        }
        return bytes
    }
}

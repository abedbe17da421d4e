import Testing

@testable import UploadBootstrap

struct TextLinesTests {
    private func lines(_ pieces: [[UInt8]]) throws -> [String] {
        var told: [String] = []
        var lines = TextLines()
        for piece in pieces {
            try lines.add(piece) { told.append("\($1):\(String(decoding: $0, as: UTF8.self))") }
        }
        try lines.finish { told.append("\($1):\(String(decoding: $0, as: UTF8.self))") }
        return told
    }

    @Test func `lines are the same however their bytes come in`() throws {
        let text = Array("a\n\nlonger ü\nlast".utf8)
        let expected = ["1:a", "2:", "3:longer ü", "4:last"]
        for count in 1...text.count {
            let pieces = stride(from: 0, to: text.count, by: count).map {
                Array(text[$0..<min($0 + count, text.count)])
            }
            #expect(try lines(pieces) == expected, "\(count)")
        }
        #expect(try lines([Array("a\n".utf8)]) == ["1:a"])
        #expect(try lines([]).isEmpty)
    }

    @Test func `a line that is too long is refused before more of it is kept`() throws {
        let half = [UInt8](repeating: UInt8(ascii: "x"), count: TextLines.lineBytesMaximum / 2)
        #expect(try lines([[10], half, half, [10]]).count == 2)
        for pieces in [[[10], half, half, [120]], [half, half, [120, 10]]] {
            let error = #expect(throws: ProgramError.self) { try lines(pieces) }
            #expect(error?.exitCode == .badInput && error?.description.contains("1 MiB") == true)
        }
    }
}

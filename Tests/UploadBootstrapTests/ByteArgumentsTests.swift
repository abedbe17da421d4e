import Testing
import Uploads

@testable import UploadBootstrap

struct ByteArgumentsTests {
    @Test(arguments: [
        "", "a b", "--to=photos:ü", "e\u{301}", "\u{FFFD}", "\u{10FEFF}", "\u{10FF41}", "x\u{10FFFF}\u{10FF00}ü",
    ])
    func `what is UTF-8 comes back as it was`(text: String) {
        let argument = ByteArguments.text(of: Array(text.utf8))
        #expect(ByteArguments.bytes(of: argument) == Array(text.utf8))
        #expect(ByteArguments.isEscaped(argument) || argument.isExactly(text))
    }

    @Test func `what is not UTF-8 comes back byte for byte, and no two arguments become one`() {
        var bytes: [[UInt8]] = [[]]
        for _ in 0..<4 { bytes += bytes.flatMap { head in [0x25, 0x80, 0xC3, 0xF4, 0x8F, 0xFF].map { head + [$0] } } }
        let arguments = bytes.map { ByteArguments.text(of: $0) }
        #expect(arguments.map { ByteArguments.bytes(of: $0) } == bytes)
        #expect(Set(arguments.map { ExactText($0) }).count == Set(bytes).count)
        #expect(FilePath(argument: ByteArguments.text(of: [0x61, 0xFF])) == FilePath(bytes: [0x61, 0xFF]))
        #expect(ByteArguments.escapes(FilePath(bytes: [0xFF])) && !ByteArguments.escapes("ü"))
    }
}

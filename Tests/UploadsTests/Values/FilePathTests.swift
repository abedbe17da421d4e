import Foundation
import Testing

@testable import Uploads

struct FilePathTests {
    private func path(_ pieces: Any...) -> FilePath {
        FilePath(bytes: pieces.flatMap { ($0 as? String).map { Array($0.utf8) } ?? [UInt8($0 as? Int ?? 0)] })
    }

    @Test(arguments: ["", "/", "a", "a/ü.txt", "100%", "%FF", "\u{FFFD}", "cafe\u{301}", "/\u{301}a"])
    func `a path that is UTF-8 is its own text`(text: String) {
        #expect(FilePath(text).description.isExactly(text))
        #expect(FilePath(text).exactText?.isExactly(text) == true)
    }

    @Test func `in a name that is not UTF-8, and only there, foreign bytes and % are escaped`() {
        #expect(path("a", 0xFF).description == "a%FF")
        #expect(path("100%ü", 0xE9, "x").description == "100%25ü%E9x")
        #expect(path("100%/", 0xFE, "%/50%").description == "100%/%FE%25/50%")
        // The beginning of an incomplete character, a surrogate, and a number beyond Unicode.
        #expect(path(0xC3).description == "%C3")
        #expect(path(0xC3, "(").description == "%C3(")
        #expect(path(0xED, 0xA0, 0x80).description == "%ED%A0%80")
        #expect(path(0xF5, 0x80, "ü").description == "%F5%80ü")
        #expect(path("/a//", 0x80, "/").description == "/a//%80/")
        #expect(path("a", 0xFF).exactText == nil)
    }

    @Test func `names that are not UTF-8 have different texts`() {
        let bytes: [UInt8] = [0x25, 0x46, 0xFF, 0x80, 0xC3, 0xA9]
        var names: Set<FilePath> = []
        for a in bytes { for b in bytes { for c in bytes { names.insert(FilePath(bytes: [0xFE, a, b, c])) } } }
        #expect(Set(names.map { ExactText($0.description) }).count == names.count)
    }

    @Test func `paths are compared by bytes`() {
        #expect(FilePath("caf\u{E9}") != FilePath("cafe\u{301}"))
        #expect(Set([path(0xFF), path(0xFE), path(0xFF)]).count == 2)
        #expect(path("a", 0x7F) < path("a", 0xFF))
    }

    @Test func `names are taken from paths and put below them`() {
        #expect(path("/a/b", 0xFF, "/").lastName == path("b", 0xFF))
        #expect(FilePath("/").lastName == "" && FilePath("a").lastName == "a")
        #expect(FilePath("a").appending("b".utf8) == "a/b" && FilePath("a/").appending("b".utf8) == "a/b")
        #expect(FilePath("").appending("b".utf8) == "b")
        #expect(FilePath("/a/b").isBelow("/a") && FilePath("/a").isBelow("/"))
        #expect(!FilePath("/ab").isBelow("/a") && !FilePath("/a").isBelow("/a"))
    }

    @Test func `on the wire a path is text, and beside it its bytes where it is not UTF-8`() throws {
        func json(_ path: FilePath) throws -> String {
            String(
                decoding: try WireJSON.encode(SourceReference.file(path: path, identity: FileIdentity())), as: UTF8.self
            )
        }
        func read(_ json: String) -> SourceReference? {
            try? WireJSON.decode(SourceReference.self, from: Data(json.utf8))
        }
        let odd = path("/in/", 0xFF)
        #expect(try json("/in/ü") == #"{"kind":"file","path":"/in/ü"}"#)
        #expect(try json(odd) == #"{"kind":"file","path":"/in/%FF","pathBytes":"L2luL/8="}"#)
        #expect(
            read(#"{"kind":"file","path":"for people","pathBytes":"L2luL/8="}"#)
                == .file(path: odd, identity: FileIdentity()))
        #expect(read(#"{"kind":"file","path":"/in/%FF"}"#) == .file(path: "/in/%FF", identity: FileIdentity()))
        for (count, isRead) in [(0, false), (1, true), (4095, true), (4096, false)] {
            let bytes = Data(repeating: 0xFF, count: count).base64EncodedString()
            #expect((read(#"{"kind":"file","path":"x","pathBytes":"\#(bytes)"}"#) != nil) == isRead, "\(count)")
        }
    }
}

import Testing

@testable import UploadBootstrap

struct EventStreamParserTests {
    private static let stream = """
        retry: 2000
        id: 7

        : still here

        id: 8
        event: upload.completed
        data: {"a":1}

        data: one
        data: two

        """ + "\n"

    @Test(arguments: 1...40) func `a stream is parsed in pieces of any size`(count: Int) throws {
        var parser = EventStreamParser()
        var messages: [EventStreamParser.Message] = []
        var rest = Array(Self.stream.utf8)[...]
        while !rest.isEmpty {
            messages += try parser.take(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        #expect(
            messages == [
                .init(id: "8", type: "upload.completed", data: "{\"a\":1}"),
                .init(id: "8", type: "message", data: "one\ntwo"),
            ])
        #expect(parser.retryMilliseconds == 2000)
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func `lines end in any of the three ways`(end: String) throws {
        var parser = EventStreamParser()
        let text = "\u{FEFF}id:1\(end)data:x\(end)\(end)data:y\(end)\(end)"
        var messages: [EventStreamParser.Message] = []
        for byte in text.utf8 { messages += try parser.take([byte]) }
        #expect(messages.map(\.data) == ["x", "y"])
    }

    @Test func `a place is known before the first event`() throws {
        var parser = EventStreamParser()
        #expect(try parser.take("id: 41\n\n".utf8).isEmpty)
        #expect(parser.lastID == "41")
    }

    @Test func `an event that was cut off is not returned, and its id does not count as the last one`() throws {
        var parser = EventStreamParser()
        #expect(try parser.take("id: 1\ndata: a\n\nid: 2\ndata: half".utf8).count == 1)
        parser.disconnected()
        #expect(parser.lastID == "1")
        #expect(try parser.take("id: 2\ndata: whole\n\n".utf8) == [.init(id: "2", type: "message", data: "whole")])
    }

    @Test func `an event without end is refused before it fills the memory`() {
        var parser = EventStreamParser()
        let endless = [UInt8](repeating: 0x61, count: EventStreamParser.bytesMaximum + 1)
        #expect(throws: ProgramError.self) { try parser.take(endless) }
    }
}

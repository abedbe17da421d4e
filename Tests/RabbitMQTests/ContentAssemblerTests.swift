import Foundation
import Testing

@testable import RabbitMQ

@Suite struct ContentAssemblerTests {
    private let start = ContentAssembler.Start.got(tag: 1, redelivered: false, exchange: "x", routingKey: "k")

    private func body(_ assembler: inout ContentAssembler, _ bytes: [UInt8]) throws -> ContentAssembler.Content? {
        try bytes.withUnsafeBytes { bytes throws(RabbitMQError) in try assembler.body(bytes) }
    }

    @Test func `A content without a body is complete with its header`() throws {
        var assembler = ContentAssembler()
        try assembler.begin(start)
        let content = try assembler.header(Message(contentType: "t"), bodyBytes: 0)
        #expect(content?.start == start)
        #expect(content?.message == Message(contentType: "t"))
        try assembler.checkIdle()
    }

    @Test func `A body is put together from any number of frames, one content after the other`() throws {
        var assembler = ContentAssembler()
        for _ in 0..<3 {
            try assembler.begin(start)
            #expect(try assembler.header(Message(), bodyBytes: 5) == nil)
            #expect(try body(&assembler, [1, 2]) == nil)
            #expect(try body(&assembler, []) == nil)
            #expect(try body(&assembler, [3, 4, 5])?.message.body == Data([1, 2, 3, 4, 5]))
        }
    }

    @Test func `What comes out of order, or too much, is an error and no crash`() throws {
        func expectError(_ body: (inout ContentAssembler) throws -> Void) {
            #expect(throws: RabbitMQError.self) {
                var assembler = ContentAssembler()
                try body(&assembler)
            }
        }
        expectError { _ = try $0.header(Message(), bodyBytes: 1) }
        expectError { _ = try self.body(&$0, [1]) }
        expectError {
            try $0.begin(start)
            try $0.begin(start)
        }
        expectError {
            try $0.begin(start)
            _ = try self.body(&$0, [1])
        }
        expectError {
            try $0.begin(start)
            _ = try $0.header(Message(), bodyBytes: 1)
            _ = try self.body(&$0, [1, 2])
        }
        expectError {
            try $0.begin(start)
            _ = try $0.header(Message(), bodyBytes: .max)
        }
        expectError {
            try $0.begin(start)
            try $0.checkIdle()
        }
    }
}

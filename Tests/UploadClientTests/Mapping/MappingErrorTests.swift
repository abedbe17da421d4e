import Foundation
import Testing
import UploadClient
import Uploads

@Suite struct MappingErrorTests {
    let mapper = ObjectMapper()

    init() throws {
        try mapper.setUpMapping(type: "Album", to: Album.self, fields: ["name": "title", "sessions": "tickets"])
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
    }

    private func message(_ json: JSONValue) -> String {
        do {
            return "no error but \(String(describing: try mapper.object(from: json)))"
        } catch {
            #expect(error.code == .invalidResponse)
            #expect(error.retry == .never)
            return error.message
        }
    }

    private func session(_ field: String, _ value: JSONValue?) -> JSONValue {
        guard case .object(var fields) = Samples.sessionJSON else { return .null }
        fields[field] = value
        return .object(fields)
    }

    @Test func `JSON that does not fit its type is an error that names the type and the field, as the JSON calls them`()
    {
        let beginning = "a JSON object of type 'UploadSession' does not fit Ticket: "
        #expect(message(session("id", nil)).hasPrefix(beginning + "the field 'id' is missing."))
        #expect(message(session("id", .null)).hasPrefix(beginning + "the field 'id' is null."))
        #expect(message(session("id", 5)).hasPrefix(beginning + "the field 'id' is not a string."))
        #expect(
            message(session("expires", "later")).hasPrefix(beginning + "the field 'expires' is not an ISO 8601 time"))
        let album = "a JSON object of type 'Album' does not fit Album: "
        #expect(
            message(["type": "Album", "name": "x", "sessions": [Samples.sessionJSON, session("url", true)]])
                .hasPrefix(album + "the field 'sessions.1.url' is not a URL."))
        #expect(
            message(["type": "Album", "name": "x", "sessions": 1]).hasPrefix(
                album + "the field 'sessions' is not an array."))
        #expect(
            message(["type": "Album", "name": "x", "cover": "c", "sessions": []])
                .hasPrefix(album + "the field 'cover' is not an object."))
        #expect(
            message(["type": "Album", "name": "x", "cover": ["type": "Upload"], "sessions": []])
                .hasPrefix(album + "the field 'cover.type' is not 'UploadSession'."))
        #expect(
            message([Samples.sessionJSON, session("id", 5)]).hasPrefix(beginning + "the field '1.id' is not a string."))
    }

    @Test func `an error of reading never shows a value, which may be a secret`() {
        for json in [session("id", ["s3cret"]), session("url", "s3cret \u{7F}%"), session("expires", "s3cret")] {
            #expect(!message(json).contains("s3cret"))
        }
        struct Level: Codable {
            enum Kind: String, Codable { case low }
            var kind: Kind
        }
        #expect(throws: Never.self) { try mapper.setUpMapping(type: "Level", to: Level.self) }
        #expect(message(["type": "Level", "kind": "s3cret"]).contains("the field 'kind' has a value that"))
        #expect(!message(["type": "Level", "kind": "s3cret"]).contains("s3cret"))
    }

    @Test func `nil is what is not ours, and an error is what is ours and does not fit`() throws {
        #expect(try mapper.object(from: ["type": "Survey"]) == nil)
        #expect(throws: UploadError.self) { try mapper.object(from: ["type": "UploadSession"]) }
        // The ancestor's way: nil for both.
        #expect((try? mapper.object(from: ["type": "UploadSession"])) == nil)
    }

    @Test func `where a type is expected, anything else is an error`() throws {
        #expect(try mapper.object([Ticket].self, from: [Samples.sessionJSON]).count == 1)
        for json: JSONValue in [["type": "Survey"], "text", .null, [Samples.sessionJSON]] {
            #expect(throws: UploadError.self) { try mapper.object(Ticket.self, from: json) }
        }
        #expect(throws: UploadError.self) { try mapper.object(Ticket.self, from: Data("{".utf8)) }
        // Names from the JSON are not put into a log unchanged.
        let error = #expect(throws: UploadError.self) { try mapper.object(Ticket.self, from: ["type": "a\nb"]) }
        #expect(
            error?.message.hasPrefix("the JSON does not fit Ticket: the field 'type' is not 'UploadSession'.") == true)
        let byName = #expect(throws: UploadError.self) { try mapper.object([String: Int].self, from: ["a\nb": "x"]) }
        #expect(byName?.message.contains("the field 'a b' is not a whole number") == true)
    }

    @Test func `a value that JSON cannot say is an error that names the field`() throws {
        struct Sample: Codable {
            var number = 0.0
            var natural: UInt64 = 0
        }
        try mapper.setUpMapping(type: "Sample", to: Sample.self)
        for sample in [Sample(number: .nan), Sample(number: .infinity), Sample(natural: .max)] {
            let error = #expect(throws: UploadError.self) { try mapper.json(from: sample) }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("Sample cannot be written as JSON: the field 'n") == true)
        }
        #expect(throws: UploadError.self) { try mapper.json(from: Double.nan) }
        #expect(throws: UploadError.self) { try mapper.data(from: JSONValue.number(.nan)) }
    }

    @Test func `a mapped type that writes no object is an error`() throws {
        struct Word: Codable {
            var text = "x"
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        try mapper.setUpMapping(type: "Word", to: Word.self)
        #expect(throws: UploadError.self) { try mapper.json(from: Word()) }
    }
}

import Foundation
import Testing
import UploadClient
import Uploads

/// The snippets of the article "Objects instead of JSON": they compile, and behave as the article says.
@Suite struct ObjectMappingArticleTests {
    @Test func `the article's first snippet reads an answer of Bridge`() throws {
        let answer = Data(
            #"{"type": "UploadSession", "id": "4711", "url": "https://bucket.example/4711", "expires": "2026-11-22T08:00:00Z"}"#
                .utf8)
        let mapper = ObjectMapper()
        if let session = try mapper.object(from: answer) as? BridgeUploadSession {
            print(session.expires)
            #expect(session.expires == Date(timeIntervalSince1970: 1_795_334_400))
        } else {
            Issue.record("no session")
        }
        let session = try mapper.object(BridgeUploadSession.self, from: answer)
        #expect(session.id == "4711")
    }

    struct Ticket: Codable {
        var number: String
        var url: URL
        var expires: Date
    }

    @Test func `the article's mapping snippet reads and writes a type of one's own`() throws {
        let json: JSONValue = [
            "type": "UploadSession", "id": "4711", "url": "https://bucket.example/4711",
            "expires": "2026-11-22T09:00:00+01:00",
        ]
        let mapper = ObjectMapper()
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: ["id": "number"])

        let ticket = try mapper.object(Ticket.self, from: json)
        let again = try mapper.json(from: ticket)

        mapper.clearMapping(type: "UploadSession")
        #expect(
            again == [
                "type": "UploadSession", "id": "4711", "url": "https://bucket.example/4711",
                "expires": "2026-11-22T08:00:00.000Z",
            ])
    }

    @Test func `the article's snippet of errors tells nil from an error`() throws {
        let mapper = ObjectMapper()
        let stranger = try mapper.object(from: ["type": "Survey"])
        #expect(stranger == nil)
        do {
            _ = try mapper.object(from: ["type": "UploadSession", "id": "4711"])
            Issue.record("it fits")
        } catch {
            #expect(
                "\(error)" == """
                    invalidResponse: a JSON object of type 'UploadSession' does not fit BridgeUploadSession: the field 'url' is \
                    missing. Correct the JSON, or map the type to what it holds
                    """)
        }
    }

    struct Photo: Codable, KeepsUnknownFields {
        var title: String
        var unknownFields: [String: JSONValue]?
    }

    @Test func `the article's snippet of unknown fields keeps them`() throws {
        let mapper = ObjectMapper()
        try mapper.setUpMapping(type: "Photo", to: Photo.self)
        var photo = try mapper.object(Photo.self, from: ["type": "Photo", "title": "Cat", "stars": 5])
        photo.title = "Dog"
        let json = try mapper.json(from: photo)
        #expect(json == ["type": "Photo", "title": "Dog", "stars": 5])
    }

    struct Finished: Codable {
        var job: String
        var data: Details

        struct Details: Codable { var object: Object }
        struct Object: Codable { var location: String }
    }

    @Test func `the article's snippet of events makes a type of one's own of an event`() throws {
        let event = Samples.completed()
        let mapper = ObjectMapper()
        try mapper.setUpMapping(type: "upload.completed", to: Finished.self, fields: ["subject": "job"])

        switch try mapper.object(from: event) {
        case let finished as Finished: print(finished.data.object.location)
        default: break
        }
        #expect(
            try (mapper.object(from: event) as? Finished)?.data.object.location
                == "https://photos.example/2026/cat.jpg")
    }
}

import Foundation
import Testing
import UploadClient
import Uploads

@Suite struct MappingRuleTests {
    struct Photo: Codable, Equatable, KeepsUnknownFields {
        var title: String
        var stars: Int?
        var unknownFields: [String: JSONValue]?
    }

    let mapper = ObjectMapper()

    @Test func `fields that a type does not know are kept where it asks for them`() throws {
        try mapper.setUpMapping(type: "Photo", to: Photo.self, fields: ["name": "title"])
        let json: JSONValue = [
            "type": "Photo", "name": "Cat", "title": "another", "future": ["a": [1]], "unknownFields": "a real field",
        ]
        var photo = try #require(try mapper.object(from: json) as? Photo)
        #expect(photo.title == "Cat")
        #expect(photo.unknownFields == ["title": "another", "future": ["a": [1]], "unknownFields": "a real field"])
        #expect(try mapper.json(from: photo) == json)
        photo.unknownFields?["name"] = "does not win"
        #expect(try mapper.json(from: photo) == json)
        #expect(try mapper.object(Photo.self, from: ["type": "Photo", "name": "Cat"]).unknownFields == nil)
    }

    @Test func `fields of a newer Bridge survive its built-in types`() throws {
        for json: JSONValue in [
            ["type": "Upload", "uploadId": "1", "status": "shelved", "healthCode": "h", "zipped": true],
            ["type": "UploadSession", "id": "1", "url": "u:x", "expires": "2026-11-22T08:00:00.000Z", "region": "eu"],
            ["type": "UploadValidationStatus", "id": "1", "status": "unknown", "messageList": [], "new": [.null]],
            ["type": "UploadRedriveList", "uploadIds": [], "reason": "lost"],
            [
                "type": "UploadRequest", "name": "n", "contentLength": 1, "contentType": "t", "contentMd5": "AA==",
                "encrypted": true, "zipped": false, "colour": "red",
            ],
        ] {
            #expect(try mapper.json(from: mapper.object(from: json)) == json)
        }
    }

    @Test func `fields that a type does not know are dropped where it does not ask for them`() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        guard case .object(var fields) = Samples.sessionJSON else { return }
        fields["region"] = "eu"
        let ticket = try mapper.object(from: .object(fields))
        #expect(try mapper.json(from: ticket) == Samples.sessionJSON)
    }

    @Test func `one Swift type for several types is read by each name and written as it says or as the last`() throws {
        struct Notice: Codable, Equatable {
            var type: String?
            var text: String
        }
        try mapper.setUpMapping(type: "Warning", to: Notice.self)
        try mapper.setUpMapping(type: "Hint", to: Notice.self, fields: ["words": "text"])
        let warning = try mapper.object(from: ["type": "Warning", "text": "a"])
        #expect(warning as? Notice == Notice(type: "Warning", text: "a"))
        #expect(try mapper.json(from: warning) == ["type": "Warning", "text": "a"])
        #expect(try mapper.json(from: Notice(type: nil, text: "a")) == ["type": "Hint", "words": "a"])
        mapper.clearMapping(type: "Hint")
        #expect(try mapper.json(from: Notice(type: nil, text: "a")) == ["type": "Warning", "text": "a"])
        #expect(throws: UploadError.self) { try mapper.json(from: Notice(type: "Other", text: "a")) }
    }

    @Test func `a later mapping of a type replaces the earlier one`() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Photo.self)
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        #expect(try mapper.object(from: Samples.sessionJSON) is Ticket)
        #expect(try mapper.json(from: Photo(title: "x")) == nil)
    }

    @Test func `a built-in type stays what it is when its name is mapped to another`() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        #expect(try mapper.json(from: Samples.session) == Samples.sessionJSON)
        #expect(try mapper.object(BridgeUploadSession.self, from: Samples.sessionJSON) == Samples.session)
    }

    @Test func `a mapping that cannot work is refused and changes nothing`() throws {
        #expect(throws: UploadError.self) { try mapper.setUpMapping(type: "", to: Photo.self) }
        #expect(throws: UploadError.self) { try mapper.setUpMapping(type: "Time", to: Date.self) }
        #expect(throws: UploadError.self) { try mapper.setUpMapping(type: "List", to: [Photo].self) }
        #expect(throws: UploadError.self) {
            try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: ["id": "number", "guid": "number"])
        }
        #expect(try mapper.object(from: Samples.sessionJSON) is BridgeUploadSession)
    }

    @Test func `a property whose field is taken is an error, not a loss`() throws {
        try mapper.setUpMapping(type: "Photo", to: Photo.self, fields: ["stars": "title"])
        #expect(try mapper.json(from: Photo(title: "x")) == ["type": "Photo", "stars": "x"])
        let error = #expect(throws: UploadError.self) { try mapper.json(from: Photo(title: "x", stars: 5)) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("'stars'") == true, "\(error?.message ?? "")")
    }

    @Test func `mappings may change while others convert`() async throws {
        try mapper.setUpMapping(type: "Photo", to: Photo.self)
        let mapper = mapper
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        if worker == 0 {
                            try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
                        }
                        if worker == 1 { mapper.clearMapping(type: "UploadSession") }
                        let object = try mapper.object(from: Samples.sessionJSON)
                        #expect(object is Ticket || object is BridgeUploadSession)
                        #expect(try mapper.json(from: Photo(title: "x")) == ["type": "Photo", "title": "x"])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

import Foundation
import Testing
import UploadClient
import Uploads

/// Every sentence of the documentation of `SBBObjectManagerProtocol`.
@Suite struct ObjectManagerTests {
    let mapper = ObjectMapper()

    @Test func `an object manager can be another implementation, chosen at run time or for tests`() throws {
        for (mapper, expected) in [
            (ObjectMapper() as any ObjectMapping, "4711"), (FixedMapper(answer: "none") as any ObjectMapping, "none"),
        ] {
            let object = try mapper.object(from: Samples.sessionJSON)
            #expect(((object as? BridgeUploadSession)?.id ?? object as? String) == expected)
        }
    }

    @Test func `JSON of the Bridge API becomes an object of the type that its type field names`() throws {
        let session = try mapper.object(from: Samples.sessionJSON)
        #expect(session as? BridgeUploadSession == Samples.session)
        let request = try mapper.object(from: [
            "type": "UploadRequest", "name": "a.zip", "contentLength": 17, "contentType": "application/zip",
            "contentMd5": "AAECAwQFBgcICQoLDA0ODw==", "zipped": false, "metadata": ["startedOn": "today"],
        ])
        var expected = BridgeUploadRequest(
            name: "a.zip", contentLength: 17, contentType: "application/zip", contentMD5: Data(0..<16),
            metadata: ["startedOn": "today"])
        expected.isZipped = false
        #expect(request as? BridgeUploadRequest == expected)
        let status = try mapper.object(from: [
            "type": "UploadValidationStatus", "id": "4711", "status": "validation_failed", "messageList": ["too old"],
            "record": ["id": "r"],
        ])
        #expect(
            status as? BridgeUploadValidationStatus
                == BridgeUploadValidationStatus(
                    id: "4711", status: .validationFailed, messages: ["too old"], record: ["id": "r"]))
        let upload = try mapper.object(from: [
            "type": "Upload", "uploadId": "4711", "status": "duplicate", "completedBy": "s3_worker",
            "requestedOn": "2026-11-22T08:00:00.250Z", "uploadDate": "2026-11-22", "version": 3,
        ])
        var record = BridgeUpload(uploadID: "4711", status: .duplicate)
        record.completedBy = "s3_worker"
        record.requestedOn = Samples.time
        record.uploadDate = "2026-11-22"
        record.version = 3
        #expect(upload as? BridgeUpload == record)
        let redrive = try mapper.object(from: ["type": "UploadRedriveList", "uploadIds": ["4711", "4712"]])
        #expect(redrive as? BridgeUploadRedriveList == BridgeUploadRedriveList(uploadIDs: ["4711", "4712"]))
    }

    @Test func `an array of JSON objects becomes an array of objects`() throws {
        let objects = try #require(try mapper.object(from: [Samples.sessionJSON, Samples.sessionJSON]) as? [Any])
        #expect(objects.compactMap { $0 as? BridgeUploadSession } == [Samples.session, Samples.session])
    }

    @Test func `a mapping puts a type of the application in place of the built-in one, both ways`() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        let ticket = try #require(try mapper.object(from: Samples.sessionJSON) as? Ticket)
        #expect(ticket == Ticket(number: "4711", address: Samples.url, expires: Samples.time))
        #expect(try mapper.json(from: ticket) == Samples.sessionJSON)
    }

    @Test func `an object of a built-in type becomes JSON of its type`() throws {
        #expect(try mapper.json(from: Samples.session) == Samples.sessionJSON)
        let request = BridgeUploadRequest(
            name: "a", contentLength: 1, contentType: "text/plain", contentMD5: Data(count: 16), isEncrypted: false)
        #expect(
            try mapper.json(from: request) == [
                "type": "UploadRequest", "name": "a", "contentLength": 1, "contentType": "text/plain",
                "contentMd5": "AAAAAAAAAAAAAAAAAAAAAA==", "encrypted": false, "zipped": true,
            ])
    }

    @Test func `an array of objects becomes an array of JSON objects`() throws {
        #expect(
            try mapper.json(from: [Samples.session, Samples.session]) == [Samples.sessionJSON, Samples.sessionJSON])
        #expect(try mapper.json(from: Set([Samples.session])) == [Samples.sessionJSON])
    }

    @Test func `a date becomes an ISO 8601 string`() throws {
        #expect(try mapper.json(from: Samples.time) == "2026-11-22T08:00:00.250Z")
    }

    @Test func `standard JSON is returned as it is`() throws {
        let json: JSONValue = ["list": [1, "two", true, .null, .number(2.5)], "deep": ["type": 5]]
        #expect(try mapper.json(from: json) == json)
        #expect(try mapper.object(from: json) as? JSONValue == json)
        #expect(try mapper.json(from: [1, 2]) == [1, 2])
        #expect(try mapper.json(from: ["one": 1]) == ["one": 1])
        #expect(try mapper.json(from: "text") == "text")
        #expect(try mapper.json(from: 7) == 7)
        #expect(try mapper.json(from: 2.5) == .number(2.5))
        #expect(try mapper.json(from: true) == true)
    }

    @Test func `any other kind of object is nil`() throws {
        struct Stranger: Codable {}
        #expect(try mapper.json(from: nil) == nil)
        #expect(try mapper.json(from: Stranger()) == nil)
        #expect(try mapper.json(from: [Stranger()]) == nil)
        #expect(try mapper.json(from: ["stranger": Stranger()]) == nil)
        #expect(try mapper.json(from: Samples.url) == nil)
        #expect(try mapper.json(from: Data([1])) == nil)
        #expect(try mapper.data(from: Stranger()) == nil)
        #expect(try mapper.object(from: ["type": "Survey", "name": "x"]) == nil)
        #expect(try mapper.object(from: [Samples.sessionJSON, ["type": "Survey"]]) == nil)
        #expect(try mapper.object(from: Data("no JSON".utf8)) == nil)
    }

    @Test func `field names are mapped to property names, and without a map they are the same`() throws {
        struct Same: Codable, Equatable {
            var id: String
            var url: String
        }
        try mapper.setUpMapping(type: "UploadSession", to: Same.self)
        #expect(
            try mapper.object(from: Samples.sessionJSON) as? Same
                == Same(id: "4711", url: Samples.url.absoluteString))
        #expect(
            try mapper.json(from: Same(id: "1", url: "u")) == ["type": "UploadSession", "id": "1", "url": "u"])
        try mapper.setUpMapping(type: "UploadSession", to: Same.self, fields: ["url": "id", "id": "url"])
        #expect(
            try mapper.object(from: Samples.sessionJSON) as? Same
                == Same(id: Samples.url.absoluteString, url: "4711"))
        #expect(
            try mapper.json(from: Same(id: "1", url: "u")) == ["type": "UploadSession", "id": "u", "url": "1"])
    }

    @Test func `clearing a mapping goes back to the built-in type`() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        mapper.clearMapping(type: "UploadSession")
        mapper.clearMapping(type: "never set up")
        #expect(try mapper.object(from: Samples.sessionJSON) as? BridgeUploadSession == Samples.session)
        #expect(
            try mapper.json(from: Ticket(number: "1", address: Samples.url, expires: Samples.time)) == nil)
    }

    @Test func `a mapping holds for its mapper alone, and a new one is clean`() throws {
        try mapper.setUpMapping(type: "Note", to: Ticket.self)
        #expect(try mapper.json(from: Ticket(number: "1", address: Samples.url, expires: Samples.time)) != nil)
        #expect(try ObjectMapper().json(from: Ticket(number: "1", address: Samples.url, expires: Samples.time)) == nil)
        #expect(try ObjectMapper.shared.object(from: Samples.sessionJSON) as? BridgeUploadSession == Samples.session)
    }
}

/// A stand-in as an application's tests would write it.
private struct FixedMapper: ObjectMapping {
    let answer: String
    func object(from json: JSONValue) -> Any? { answer }
    func json(from object: Any?) -> JSONValue? { nil }
    func setUpMapping<Mapped: Codable & SendableMetatype>(
        type: String, to swiftType: Mapped.Type, fields: [String: String]?
    ) {}
    func clearMapping(type: String) {}
}

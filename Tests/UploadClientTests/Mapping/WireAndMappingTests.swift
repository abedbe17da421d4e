import Foundation
import RabbitMQ
import Testing
import UploadClient
import Uploads
import UploadsRabbitMQ

@Suite struct WireAndMappingTests {
    /// A type that fits no message on the wire.
    struct Wrong: Codable { var nothing: Int }

    /// The fields of an upload that an application needs.
    struct Notice: Codable, Equatable {
        var upload: String
        var finished: Date
        var data: Details

        struct Details: Codable, Equatable {
            var object: Object
            struct Object: Codable, Equatable { var location: String }
        }
        static let fields = ["subject": "upload", "time": "finished"]
    }

    @Test func `mappings change nothing of the wire format of jobs, batons and events`() throws {
        let job = Samples.job()
        let baton = Baton(job: job)
        let event = Samples.completed()
        func wire() throws -> [Message] {
            [
                try WireFormat.message(job: job), try WireFormat.message(baton: baton),
                try WireFormat.message(event: event),
            ]
        }
        let before = try wire()
        for mapper in [ObjectMapper(), .shared] {
            let types = before.compactMap(\.type)
            #expect(types == ["upload.job.v1", "upload.baton.v1", "upload.completed"])
            for type in types { try mapper.setUpMapping(type: type, to: Wrong.self) }
            try mapper.setUpMapping(type: "wrong.job", to: UploadJob.self, fields: ["number": "id", "bytes": "size"])
            try mapper.setUpMapping(type: "wrong.event", to: UploadEvent.self, fields: ["kind": "type"])
            defer { for type in types + ["wrong.job", "wrong.event"] { mapper.clearMapping(type: type) } }
            #expect(try wire().map(\.body) == before.map(\.body))
            #expect(try WireJSON.decode(UploadJob.self, from: before[0].body) == job)
            #expect(try WireJSON.decode(Baton.self, from: before[1].body) == baton)
            #expect(try WireJSON.decode(UploadEvent.self, from: before[2].body) == event)
            // The mappings do work when they are used.
            #expect(try mapper.json(from: job)?["number"] == .string(job.id.rawValue))
        }
    }

    @Test func `an event becomes the type that its CloudEvents type is mapped to`() throws {
        let mapper = ObjectMapper()
        let event = Samples.completed()
        #expect(try mapper.object(from: event) == nil)
        try mapper.setUpMapping(type: "upload.completed", to: Notice.self, fields: Notice.fields)
        let notice = try #require(try mapper.object(from: event) as? Notice)
        #expect(notice.upload == event.job.id.rawValue)
        #expect(notice.finished == event.time)
        #expect(notice.data.object.location == "https://photos.example/2026/cat.jpg")
        #expect(try mapper.object(Notice.self, from: event) == notice)
        let started = UploadEvent(kind: .started, of: Baton(job: Samples.job()), at: Samples.time)
        #expect(try mapper.object(from: started) == nil)
        #expect(throws: UploadError.self) { try mapper.object(Notice.self, from: started) }
    }

    @Test func `an event that does not fit its mapping is an error`() throws {
        let mapper = ObjectMapper()
        try mapper.setUpMapping(type: "upload.completed", to: Wrong.self)
        let error = #expect(throws: UploadError.self) { try mapper.object(from: Samples.completed()) }
        #expect(
            error?.message.contains("type 'upload.completed' does not fit Wrong: the field 'nothing' is missing")
                == true)
    }
}

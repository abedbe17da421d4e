import Foundation
import Testing
import Uploads
import UploadsAPI
import Yams

@testable import UploadNotifier

/// Holds the models of the API against the schemas of the description, key by key, both ways.
struct APISchemaTests {
    /// A model with a value in every field.
    struct Sample: Sendable, CustomTestStringConvertible {
        /// The name of the model and of its schema.
        let name: String
        /// The model as JSON.
        let json: @Sendable () throws -> Any
        /// JSON that the model was read from, as it writes it.
        let rewritten: @Sendable (Any) throws -> Any

        init<Model: Codable & Sendable>(_ model: Model) {
            name = "\(Model.self)"
            json = { try Self.json(model) }
            rewritten = { json in
                let data = try JSONSerialization.data(withJSONObject: json)
                return try Self.json(try WireJSON.decode(Model.self, from: data))
            }
        }

        var testDescription: String { name }

        private static func json(_ model: some Encodable) throws -> Any {
            try JSONSerialization.jsonObject(with: try WireJSON.encode(model))
        }
    }

    static let samples = [
        Sample(API.JobPage(jobs: [API.job], next: API.job.id)), Sample(API.jobStory), Sample(API.event),
        Sample(API.jobProgress), Sample(API.QueueList(queues: [API.queue])),
        Sample(API.Line(line: [API.LineEntry(position: 1, job: API.job)], waiting: 2, next: 3)),
        Sample(API.DelegateList(delegates: [API.delegate])),
        Sample(API.SignedDelegate(delegate: API.delegate, secret: "whsec_")),
        Sample(API.RemovedDelegate(removed: "hook", forgotten: 1)),
        Sample(API.DeliveryPage(deliveries: [API.delivery], next: 1)),
        Sample(API.DeliveryStory(delivery: API.delivery, attempts: [API.attempt])),
        Sample(API.AttemptList(attempts: [API.attempt])), Sample(API.Replayed(count: 1)),
        Sample(API.DeadLetterPage(deadLetters: [API.deadLetter], next: 1)),
        Sample(API.DeadLetterReplays(matched: 1, done: 1, deadLetters: [API.deadLetterReplay])),
        Sample(API.enqueuedJob), Sample(API.Discarded(discarded: 1)),
        Sample(API.FailureList(failures: [API.failureGroup])), Sample(API.pastHour),
        Sample(API.DestinationList(destinations: [API.destination])),
        Sample(API.WorkerList(workers: [API.worker])), Sample(API.orderAnswer), Sample(API.problem),
        Sample(API.AuditPage(entries: [API.auditEntry], next: 1)),
        Sample(API.Backup(path: "/ledger", size: 1, seconds: 0.5)),
    ]

    private let description: [String: Any]
    private let schemas: [String: [String: Any]]

    init() throws {
        description = try #require(try Yams.load(yaml: OpenAPIDescription.yaml) as? [String: Any])
        schemas = try #require((description["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
    }

    @Test(arguments: samples) func `a model has the keys of its schema, no more and no fewer`(sample: Sample) throws {
        var named: Set<String> = []
        try compare(try sample.json(), reference(sample.name), sample.name, &named)
    }

    @Test(arguments: samples)
    func `a model leaves out what its schema does not require, and writes null where it allows null`(
        sample: Sample
    ) throws {
        let least = try least(of: try sample.json(), reference(sample.name))
        let written = try sample.rewritten(least)
        #expect(try text(written) == text(least))
    }

    @Test func `every schema of an answer has a model`() throws {
        var named: Set<String> = []
        for sample in Self.samples { try compare(try sample.json(), reference(sample.name), sample.name, &named) }
        var answered: Set<String> = []
        for case let operations as [String: [String: Any]] in (description["paths"] as? [String: Any] ?? [:]).values {
            for operation in operations.values { collect(operation["responses"] ?? [:], into: &answered) }
        }
        collect((description["components"] as? [String: Any])?["responses"] ?? [:], into: &answered)
        #expect(answered.count > 20)
        #expect(answered.subtracting(named) == [])
    }

    private func reference(_ name: String) -> [String: Any] { ["$ref": "#/components/schemas/\(name)"] }

    private func name(_ schema: [String: Any]) -> String? {
        (schema["$ref"] as? String).flatMap { $0.split(separator: "/").last.map(String.init) }
    }

    private func resolved(_ schema: [String: Any]) throws -> [String: Any] {
        guard let name = name(schema) else { return schema }
        return try #require(schemas[name], "no schema '\(name)'")
    }

    private func allowsNull(_ schema: [String: Any]) -> Bool { (schema["type"] as? [String])?.contains("null") == true }

    /// - Parameter named: gets the names of the schemas on the way.
    private func compare(_ value: Any, _ schema: [String: Any], _ place: String, _ named: inout Set<String>) throws {
        if let name = name(schema) { named.insert(name) }
        let schema = try resolved(schema)
        if let properties = schema["properties"] as? [String: [String: Any]] {
            let object = try #require(value as? [String: Any], "\(place) is no object")
            #expect(Set(object.keys) == Set(properties.keys), "\(place)")
            #expect(Set(schema["required"] as? [String] ?? []).isSubset(of: properties.keys), "\(place)")
            for (key, property) in properties {
                guard let member = object[key] else { continue }
                try compare(member, property, "\(place).\(key)", &named)
            }
        } else if let items = schema["items"] as? [String: Any] {
            let list = try #require(value as? [Any], "\(place) is no list")
            #expect(!list.isEmpty, "\(place) is empty, so its elements are not compared")
            for element in list { try compare(element, items, "\(place)[]", &named) }
        } else {
            #expect(!(value is [Any]), "\(place) is a list that the description does not know")
        }
    }

    /// The value without the fields that its schema does not require, and with null where the schema allows null.
    private func least(of value: Any, _ schema: [String: Any]) throws -> Any {
        let schema = try resolved(schema)
        if allowsNull(schema) { return NSNull() }
        if let properties = schema["properties"] as? [String: [String: Any]], let object = value as? [String: Any] {
            var least: [String: Any] = [:]
            for key in schema["required"] as? [String] ?? [] {
                least[key] = try self.least(of: try #require(object[key]), try #require(properties[key]))
            }
            return least
        }
        if let items = schema["items"] as? [String: Any], let list = value as? [Any] {
            return try list.map { try least(of: $0, items) }
        }
        return value
    }

    private func text(_ json: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: json, options: .sortedKeys), as: UTF8.self)
    }

    /// Names of the schemas of answers, also of those that other schemas name.
    private func collect(_ node: Any, into names: inout Set<String>) {
        if let list = node as? [Any] {
            for element in list { collect(element, into: &names) }
        } else if let object = node as? [String: Any] {
            if let reference = object["$ref"] as? String, reference.contains("/schemas/"), let name = name(object),
                names.insert(name).inserted
            {
                collect(schemas[name] ?? [:], into: &names)
            }
            for member in object.values { collect(member, into: &names) }
        }
    }
}

import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// The bounds of the schemas and of the decoders are the same.
@Suite(.timeLimit(.minutes(600))) struct SchemaBoundsTests {
    /// A number of a schema, with the values in which it stands.
    private struct Bounded {
        let schema: String
        let path: [String]
        let minimum: Int64
        let maximum: Int64
        let isInteger: Bool
    }

    private func bounded(_ schema: String, below place: [String] = [], _ value: JSONValue? = nil) throws -> [Bounded] {
        let schemaValue =
            try value
            ?? WireJSON.decode(
                JSONValue.self,
                from: Data(contentsOf: URL(filePath: Python.schemas).appending(path: "\(schema).schema.json")))
        guard case .object(let properties)? = schemaValue["properties"] else { return [] }
        return try properties.sorted { $0.key < $1.key }.flatMap { name, value -> [Bounded] in
            let type = value["type"]?.string
            if type == "integer" || type == "number" {
                let maximum = try #require(value["maximum"]?.integer, "\(schema) \(place + [name]) has no maximum")
                let minimum = try #require(value["minimum"]?.integer, "\(schema) \(place + [name]) has no minimum")
                return [
                    Bounded(
                        schema: schema, path: place + [name], minimum: minimum, maximum: maximum,
                        isInteger: type == "integer")
                ]
            }
            return try bounded(schema, below: place + [name], value)
        }
    }

    private func with(_ value: JSONValue, _ path: ArraySlice<String>, _ number: Int64) -> JSONValue {
        guard let name = path.first, case .object(var fields) = value else { return .integer(number) }
        fields[name] = with(fields[name] ?? [:], path.dropFirst(), number)
        return .object(fields)
    }

    @Test func `every number of a schema has bounds, and a decoder refuses the next one beyond`() throws {
        var job = FuzzSamples.job
        job.serial = SerialPosition(index: 1)
        let baton = FuzzSamples.baton(of: job)
        var event = UploadEvent(
            outcome: .failed(FuzzSamples.error, state: baton.state), of: baton, at: FuzzSamples.time)
        event.data.object = FuzzSamples.object
        event.data.bytesDone = 1
        event.data.bytesPerSecond = 1
        try check("upload.job.v1", FuzzSample(job))
        try check("upload.baton.v1", FuzzSample(baton))
        try check("upload.event.v1", FuzzSample(event))
        try check("upload.destination.v1", FuzzSample(FuzzSamples.report))
        try check("upload.answer.v1", FuzzSample(FuzzSamples.answer))
    }

    private func check(_ schema: String, _ sample: FuzzSample) throws {
        let value = try WireJSON.decode(JSONValue.self, from: sample.written())
        for bounded in try bounded(schema) {
            func isRead(_ number: Int64) throws -> Bool {
                (try? sample.rewritten(WireJSON.encode(with(value, bounded.path[...], number)))) != nil
            }
            #expect(try isRead(bounded.minimum), "\(schema) \(bounded.path) \(bounded.minimum)")
            #expect(try isRead(bounded.maximum), "\(schema) \(bounded.path) \(bounded.maximum)")
            #expect(try !isRead(bounded.minimum - 1), "\(schema) \(bounded.path) \(bounded.minimum - 1)")
            // Beyond 2^53 the next floating point number is further away.
            let beyond = bounded.isInteger ? bounded.maximum + 1 : bounded.maximum * 2
            #expect(try !isRead(beyond), "\(schema) \(bounded.path) \(beyond)")
        }
    }

    @Test func `what a schema calls valid can be read`() async throws {
        var fuzz = Fuzz()
        let kinds: [(String, FuzzSample)] =
            FuzzSamples.jobs.map { ("upload.job.v1", FuzzSample($0)) }
            + [("upload.baton.v1", FuzzSample(FuzzSamples.baton(of: FuzzSamples.job)))]
            + FuzzSamples.orders.map { ("upload.order.v1", FuzzSample($0)) }
            + [
                ("upload.destination.v1", FuzzSample(FuzzSamples.report)),
                ("upload.answer.v1", FuzzSample(FuzzSamples.answer)),
            ]
        var cases: [(schema: String, json: Data)] = []
        var samples: [FuzzSample] = []
        while cases.count < Fuzz.inputCount / 4 {
            let (schema, sample) = fuzz.pick(kinds)
            let json = try sample.damaged(&fuzz)
            // One line of one JSON value for the judge, whose own reader has its own idea of deep.
            guard (try? WireJSON.decode(JSONValue.self, from: json)) != nil, !json.contains(10), json.count < 50_000
            else { continue }
            cases.append((schema, json))
            samples.append(sample)
        }
        let verdicts = try await SchemaTests.judge(cases)
        #expect(verdicts.count == cases.count)
        for (index, verdict) in verdicts.enumerated() where verdict == "valid" {
            #expect(
                (try? samples[index].rewritten(cases[index].json)) != nil,
                "seed \(fuzz.seed), input \(index): \(String(decoding: cases[index].json.prefix(2000), as: UTF8.self))")
        }
        #expect(verdicts.contains("valid"))
    }
}

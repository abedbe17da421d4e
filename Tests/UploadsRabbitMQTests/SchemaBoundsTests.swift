import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// The bounds of the schemas and of the decoders are the same.
@Suite(.timeLimit(.minutes(600))) struct SchemaBoundsTests {
    /// The body of a message in the batch format, read as the programs read it.
    private struct EventList: Codable {
        let events: [UploadEvent]

        init(events: [UploadEvent]) { self.events = events }

        init(from decoder: any Decoder) throws {
            let list = try JSONValue(from: decoder)
            guard case .array(let elements) = list else { throw CancellationError() }
            let message = Message(
                body: try WireJSON.encode(list), contentType: WireFormat.batchContentType,
                type: elements.first?["type"]?.string ?? EventKind.failed.type)
            events = try WireFormat.singles(of: message).map { single in
                guard case .event(let event) = WireFormat.read(single) else { throw CancellationError() }
                return event
            }
        }

        func encode(to encoder: any Encoder) throws { try events.encode(to: encoder) }
    }

    /// Values that contain every member that a schema names. Samples for which only one bound applies come first.
    private static let samples: [(schema: String, sample: FuzzSample)] = {
        let baton = FuzzSamples.baton(of: FuzzSamples.job)
        var failed = UploadEvent(
            outcome: .failed(FuzzSamples.error, state: baton.state), of: baton, at: FuzzSamples.time)
        failed.data.object = FuzzSamples.object
        failed.data.reason = "retry"
        failed.data.waitingUntil = FuzzSamples.time
        failed.data.bytesDone = 1
        failed.data.partBytes = 1
        failed.data.bytesPerSecond = 1
        failed.trace = TraceParent(WireFormatTests.trace)
        // Any count up to the maximum is allowed for a piece.
        var piece = SnapshotPiece(of: UUID(), number: 1, count: SnapshotPiece.countMaximum)
        piece.fences = [JobID(): 1]
        piece.pauses = [JobID(): 1]
        piece.stoppedQueues = [.standard]
        piece.drainedWorkers = ["host/1-a"]
        piece.ledger = LedgerClaim(ledger: UUID(), term: 1, opening: UUID())
        let entries = [ControlEntry.snapshot(piece)] + FuzzSamples.entries
        var samples: [(schema: String, sample: FuzzSample)] = []
        samples += FuzzSamples.jobs.map { ("upload.job.v1", FuzzSample($0)) }
        samples.append(("upload.baton.v1", FuzzSample(baton)))
        samples.append(("upload.event.v1", FuzzSample(failed)))
        samples.append(("upload.events.v1", FuzzSample(EventList(events: [failed]))))
        samples += entries.map { ("upload.control.v1", FuzzSample($0)) }
        samples += FuzzSamples.orders.map { ("upload.order.v1", FuzzSample($0)) }
        samples.append(("upload.destination.v1", FuzzSample(FuzzSamples.report)))
        samples.append(("upload.worker.v1", FuzzSample(FuzzSamples.workerReport)))
        samples += FuzzSamples.answers.map { ("upload.answer.v1", FuzzSample($0)) }
        return samples
    }()

    @Test func `every number, text, list and object of a schema is bounded, and a decoder refuses the next one beyond`()
        throws
    {
        var walk = try SchemaWalk()
        for (schema, sample) in Self.samples {
            let value = try WireJSON.decode(JSONValue.self, from: sample.written())
            for found in try walk.walk(schema, value) { try check(found, in: value, of: sample) }
        }
        #expect(walk.unseen() == [], "a sample has to have it")
    }

    private func check(_ found: SchemaWalk.Found, in value: JSONValue, of sample: FuzzSample) throws {
        func expect(_ isRead: Bool, _ what: String, _ change: (JSONValue) -> JSONValue) throws {
            let json = try WireJSON.encode(value.replacing(found.path[...], change))
            #expect(((try? sample.read(json)) != nil) == isRead, "\(found.place): \(what)")
        }
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "a", count: count)) }
        switch found.bound {
        case .number(let minimum, let maximum, let isInteger):
            // Beyond 2^53 the next floating point number is further away.
            let beyond = isInteger ? maximum + 1 : maximum * 2
            for (number, isRead) in [(minimum, true), (maximum, true), (minimum - 1, false), (beyond, false)] {
                try expect(isRead, "\(number)") { _ in .integer(number) }
            }
        case .text(let maximum):
            try expect(true, "\(maximum) characters") { _ in text(maximum) }
            try expect(false, "\(maximum + 1) characters") { _ in text(maximum + 1) }
        case .list(let maximum):
            for (count, isRead) in [(maximum, true), (maximum + 1, false)] {
                try expect(isRead, "\(count) elements") { list in
                    guard case .array(let elements) = list, let first = elements.first else { return list }
                    return .array(Array(repeating: first, count: count))
                }
            }
        case .members(let maximum, let areJobs):
            for (count, isRead) in [(maximum, true), (maximum + 1, false)] {
                try expect(isRead, "\(count) members") { object in
                    guard case .object(let fields) = object, let first = fields.values.first else { return object }
                    let names = (0..<count).map { areJobs ? JobID().rawValue : "k\($0)" }
                    return .object(Dictionary(names.map { ($0, first) }) { first, _ in first })
                }
            }
        case .names(let maximum):
            for (count, isRead) in [(maximum, true), (maximum + 1, false)] {
                try expect(isRead, "a name of \(count)") { _ in .object([String(repeating: "a", count: count): "v"]) }
            }
        case .texts(let maximum):
            try expect(true, "\(maximum) bytes") { _ in ["a": text(maximum - 1)] }
            try expect(false, "\(maximum + 1) bytes") { _ in ["a": text(maximum)] }
        }
    }

    @Test(arguments: [(0, true), (1, false)])
    func `the payload of a session has as many bytes as the schema says in words`(more: Int, isRead: Bool) throws {
        let counted = 2 * WireLimits.payloadValueBytes + "u".utf8.count
        let text = String(repeating: "a", count: WireLimits.payloadBytesMaximum - counted + more)
        var baton = FuzzSamples.baton(of: FuzzSamples.job)
        baton.state?.payload = ["u": "x"]
        let json = String(decoding: try WireJSON.encode(baton), as: UTF8.self)
            .replacing(#""payload":{"u":"x"}"#, with: #""payload":{"u":"\#(text)"}"#)
        #expect(((try? WireJSON.decode(Baton.self, from: Data(json.utf8))) != nil) == isRead)
        // Longshore's programs do not write it: they continue without the session.
        baton.state?.payload = ["u": .string(text)]
        let written = try WireJSON.decode(Baton.self, from: WireJSON.encode(baton))
        #expect((written.state != nil) == isRead)
    }

    @Test func `what a schema calls valid can be read`() async throws {
        var fuzz = Fuzz(for: "what schemas call valid")
        let baton = FuzzSamples.baton(of: FuzzSamples.job)
        var kinds = Self.samples
        kinds += FuzzSamples.events(of: baton).map { ("upload.event.v1", FuzzSample($0)) }
        // By turns, so that each has enough samples: some schemas have one sample, others many.
        let bySchema = Dictionary(grouping: kinds, by: \.0).values.sorted { $0[0].0 < $1[0].0 }
        var cases: [(schema: String, json: Data)] = []
        var samples: [FuzzSample] = []
        while cases.count < Fuzz.inputCount / 2 {
            let (schema, sample) = fuzz.pick(bySchema[cases.count % bySchema.count])
            let json = try sample.damaged(&fuzz)
            // One JSON value on one line for the validator, whose reader has a depth limit of its own. Values are left
            // out that are refused for limits which a schema can only describe in words: the depth, the bytes of a
            // session, and of texts together, and that inline data has the size that the job names.
            guard let value = try? WireJSON.decode(JSONValue.self, from: json), !json.contains(10), json.count < 50_000,
                value.depth <= WireLimits.depthMaximum, Self.fits(value["state"]), Self.fits(value["data"]?["state"]),
                [value, value["job"], value["data"]?["job"]].allSatisfy(Self.hasItsSize)
            else { continue }
            cases.append((schema, json))
            samples.append(sample)
        }
        let verdicts = try await SchemaTests.judge(cases)
        #expect(verdicts.count == cases.count)
        for (index, verdict) in verdicts.enumerated() where verdict == "valid" {
            #expect(
                (try? samples[index].read(cases[index].json)) != nil,
                "seed \(fuzz.seed), input \(index): \(String(decoding: cases[index].json.prefix(2000), as: UTF8.self))")
        }
        let valid = Set(zip(verdicts, cases).filter { $0.0 == "valid" }.map(\.1.schema))
        #expect(valid == Set(kinds.map(\.0)), "some of each kind have to be valid, or nothing is proved")
    }

    /// False for inline data with another size than its job names. Data that is not base64 has none, and no schema may call it valid.
    private static func hasItsSize(_ job: JSONValue?) -> Bool {
        guard let text = job?["source"]?["data"]?.string, let data = Data(base64Encoded: text), !data.isEmpty else {
            return true
        }
        return job?["size"] == .integer(Int64(data.count))
    }

    private static func fits(_ state: JSONValue?) -> Bool {
        UploadState(driver: "", payload: state?["payload"] ?? [:]).fitsMessages
    }
}

import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// Messages of the dead-letter queue as any program may publish them, also with an `x-death` of its own. Such a header
/// would stop the dead-lettering of a whole RabbitMQ 3.10 node, so the test sends none to a broker.
@Suite(.timeLimit(.minutes(600))) struct DeadMessageFuzzTests {
    @Test func `whatever a dead letter says of its death, the notifier makes something of it that can be recorded`()
        throws
    {
        let topology = try UploadTopology(namespace: "upload")
        let baton = FuzzSamples.baton(of: FuzzSamples.job)
        let bodies: [(FuzzSample, String)] = [
            (FuzzSample(FuzzSamples.job), "upload.job.v1"), (FuzzSample(baton), "upload.baton.v1"),
            (FuzzSample(IssueMarker(job: FuzzSamples.job.id, round: 1, generation: 1)), "upload.marker.v1"),
            (FuzzSample(FuzzSamples.events(of: baton)[0]), FuzzSamples.events(of: baton)[0].kind.type),
            (FuzzSample(FuzzSamples.orders[0]), "upload.order.v1"),
        ]
        var fuzz = Fuzz(for: "dead letters")
        var causes: Set<String> = []
        for input in 0..<Fuzz.inputCount {
            let (sample, type) = fuzz.pick(bodies)
            let body = fuzz.chance(3) ? try sample.damaged(&fuzz) : try sample.written()
            var message = fuzz.message(body, type: type)
            message.headers["x-death"] = Self.deaths(&fuzz, topology)
            let exchange = String(fuzz.text().prefix(200))
            let envelope = MessageEnvelope(dead: message, exchange: exchange, routingKey: "k")
            let comment: Comment = "seed \(fuzz.seed), input \(input): \(message.headers)"
            #expect(throws: Never.self, comment) { _ = try Self.written(envelope) }
            switch NotifierMessage(dead: message, topology, envelope) {
            case .deadBaton(let baton, let cause):
                #expect(cause.reason.utf8.count <= WireFormat.reasonBytesMaximum, comment)
                #expect(throws: Never.self, comment) {
                    _ = try WireJSON.decode(Baton.self, from: WireJSON.encode(baton))
                    // The notifier's next step with it.
                    let decision = IssuingMachine(fence: 1, now: FuzzSamples.time)
                        .receive(.deadBaton(baton, cause), for: nil)
                    if let job = decision.job {
                        _ = try WireJSON.decode(LedgerJob.self, from: WireJSON.encode(job))
                    }
                }
                causes.insert(String(describing: cause).components(separatedBy: "(")[0])
            case .unreadable(_, let reason, _): #expect(!reason.isEmpty, comment)
            default: break
            }
        }
        // The broker's own words come among the others, so that all their paths are tried.
        if Fuzz.inputCount >= 1000 {
            #expect(causes.isSuperset(of: ["expired", "overflowed", "deliveryLimit", "noLane"]))
        }
    }

    /// Values that JSON has no form for are left out of a row.
    private static func written(_ envelope: MessageEnvelope) throws -> Data {
        var envelope = envelope
        if let text = try? WireJSON.encode(envelope) { return text }
        envelope.headers = [:]
        return try WireJSON.encode(envelope)
    }

    /// `x-death` as the broker writes it (https://www.rabbitmq.com/docs/dlx#effects), and any other value.
    private static func deaths(_ fuzz: inout Fuzz, _ topology: UploadTopology) -> FieldValue? {
        switch fuzz.number(in: 0...7) {
        case 0: return nil
        case 1: return .string(fuzz.text())
        case 2: return .array([])
        case 3: return .array([.string(fuzz.text()), .table(fuzz.headers())])
        case 4: return .table(fuzz.headers())
        default: break
        }
        let queues = [
            topology.notifier(0), topology.laneQueue(.standard, .normal), "upload.delay.03", "upload.delay.",
            fuzz.text(),
        ]
        var death: Table = [
            "queue": .string(fuzz.pick(queues)),
            "reason": .string(fuzz.pick(["rejected", "expired", "maxlen", "delivery_limit", fuzz.text()])),
            "count": .int64(fuzz.integer()), "time": .timestamp(Date(timeIntervalSince1970: fuzz.double())),
            "exchange": .string(fuzz.text()), "routing-keys": .array([.string(fuzz.text()), .int64(fuzz.integer())]),
        ]
        for (name, value) in fuzz.headers() where fuzz.chance(2) { death[fuzz.chance(2) ? name : "reason"] = value }
        if fuzz.chance(4) { death["queue"] = fuzz.headers().values.first }
        return .array([.table(death), .table(fuzz.headers())])
    }
}

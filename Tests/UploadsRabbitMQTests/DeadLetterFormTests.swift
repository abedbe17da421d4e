import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// Messages whose dead letters cannot carry all of them. No such message holds up its lane.
@Suite(.timeLimit(.minutes(20))) struct DeadLetterFormTests {
    /// Publishes messages that no worker can read to a lane, each with the properties that the kind names.
    private static let publish = """
        import pika, sys
        url, exchange, key, kind, count = sys.argv[1:6]
        channel = pika.BlockingConnection(pika.URLParameters(url)).channel()
        channel.confirm_delivery()
        headers, type = {"tenant": "acme"}, "upload.job.v1"
        if kind == "deep":
            nested = "end"
            for _ in range(40):
                nested = {"n": nested}
            headers["nested"] = nested
        elif kind == "large":
            headers["large"] = "x" * 130800
        elif kind == "type":
            type = b"\\xff" * 255
        for number in range(int(count)):
            channel.basic_publish(exchange, key, b"no job %d" % number,
                pika.BasicProperties(type=type, headers=headers, delivery_mode=2), mandatory=True)
        """

    private func publish(_ kind: String, _ count: Int, _ rig: Rig) async throws {
        let key = rig.topology.laneKey(.standard, .normal, JobID())
        _ = try await Python.run(
            Self.publish, arguments: [rig.node.url, rig.topology.jobs, key, kind, "\(count)"])
    }

    @Test(arguments: [("deep", "nested more than 8 deep"), ("large", "more than 65536 bytes"), ("type", nil)])
    func `what its dead letter cannot carry holds up no lane, and the letter says what is left out`(
        _ kind: String, _ why: String?
    ) async throws {
        try await Rig.run { rig in
            try await publish(kind, 60, rig)
            let good = (0..<12).map { _ in Samples.job() }
            for job in good { try await rig.put(try WireFormat.message(baton: Samples.baton(job))) }
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(prefetchPerLane: 4), handler)
            try await eventually("the good jobs are done") { handler.removed.value.count == good.count }
            try await eventually("nothing is left in the lane") {
                let depth = try await rig.channel.depth(of: rig.topology.laneQueue(.standard, .normal))
                return depth.messages == 0
            }
            let probe = try await rig.notifier()
            func letters() -> [UnreadableMessage] {
                probe.messages.value.compactMap { message in
                    guard case .unreadable(let body, let reason, let envelope) = message else { return nil }
                    return UnreadableMessage(id: 7, at: Date(), reason: reason, body: body, envelope: envelope)
                }
            }
            try await eventually("all letters") { letters().count == 60 }
            #expect(Set(letters().map(\.body)).count == 60)
            let first = try #require(letters().first)
            #expect(first.envelope?.queue == rig.topology.laneQueue(.standard, .normal))
            let leftOut = first.envelope?.headers["headersLeftOut"]?.string
            if let why {
                #expect(leftOut?.contains(why) == true, "\(leftOut ?? "nothing")")
                let text = first.envelope?.headers["headersAsText"]?.string
                #expect(text?.contains(kind == "deep" ? #""tenant": "acme""# : "xxxx") == true)
                #expect((text?.utf8.count ?? 0) <= CarriedHeaders.textBytesMaximum)
            }
            // Published again, it comes back with its earlier content, without the headers.
            _ = try await rig.broker().replay(first)
            try await eventually("it comes back") { letters().count == 61 }
            #expect(letters().last?.envelope?.replayOf == 7 && letters().last?.body == first.body)
        }
    }

    @Test func `what is refused in every form is rejected, and the broker sets it aside`() async throws {
        let node = try await BrokerNode.start()
        do {
            try await Rig.run(on: node) { rig in
                let body = Data(repeating: 0x78, count: 30_000)
                try await rig.put(Message(body: body, type: "upload.job.v1"))
                let job = Samples.job()
                try await rig.put(try WireFormat.message(baton: Samples.baton(job)))
                // As if an operator had lowered the limit while messages waited. RabbitMQ 4 caches it in a persistent
                // term.
                _ = try await node.ctl(
                    "eval",
                    "application:set_env(rabbit, max_message_size, 8192), persistent_term:put(max_message_size, 8192).")
                let handler = TestHandler(TestHandler.completing)
                try await rig.serve(try await rig.worker(prefetchPerLane: 1), handler)
                try await eventually("the good job is done") { handler.removed.value == [job.id] }
                let dead = try await rig.next(rig.topology.dead).message
                #expect(dead.body == body)
                let death = dead.headers["x-death"]?.array?.first?.table
                #expect(death?["reason"]?.string == "rejected")
                #expect(death?["queue"]?.string == rig.topology.laneQueue(.standard, .normal))
            }
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }

    // MARK: Without a broker

    @Test func `headers within the bounds are carried as they are`() {
        let headers: Table = ["tenant": "acme", "list": [1, 2, ["a": ["b": true]]], "none": nil]
        #expect(CarriedHeaders.table(headers) == headers)
        #expect(CarriedHeaders.table([:]) == [:])
        func nested(_ depth: Int) -> Table {
            (1..<depth).reduce(into: ["end": 1] as Table) { table, _ in table = ["n": .table(table)] }
        }
        #expect(CarriedHeaders.problem(nested(8)) == nil)
        #expect(CarriedHeaders.problem(nested(9)) != nil)
        #expect(CarriedHeaders.problem(["l": [[[[[[[1]]]]]]]]) == nil)
        #expect(CarriedHeaders.problem(["l": [[[[[[[[1]]]]]]]]]) != nil)
        #expect(CarriedHeaders.problem(["a": .string(String(repeating: "x", count: 65_000))]) == nil)
        #expect(CarriedHeaders.problem(["a": .string(String(repeating: "x", count: 66_000))]) != nil)
        #expect(CarriedHeaders.problem([String(repeating: "\u{FFFD}", count: 86): 1]) != nil)
        let text = CarriedHeaders.text(nested(300))
        #expect(text.hasSuffix(#""n": {…}}}}}}}}}"#), "\(text)")
    }

    @Test func `a letter's headers are bounded whatever stands in the message`() throws {
        var message = Message(body: Data([1]), type: "upload.job.v1")
        message.headers["wide"] = .array(Array(repeating: .bytes(Data(count: 1)), count: 20_000))
        message.headers["replayOf"] = ["n": .string(String(repeating: "x", count: 90_000))]
        // One character of a megabyte.
        let reason = "why a" + String(repeating: "\u{301}", count: 500_000)
        for form in DeadLetterForm.allCases {
            let letter = WireFormat.deadLetter(message, reason: reason, from: "lane", form: form)
            #expect(letter.body == message.body)
            #expect(letter.headers["headersLeftOut"] != nil && letter.headers["replayOf"] == nil)
            #expect(letter.headers["reason"]?.string?.hasPrefix("why") == true)
            #expect(letter.type == (form == .bodyAlone ? nil : message.type))
            let bytes = letter.headers.values.reduce(0) { $0 + ($1.string?.utf8.count ?? 0) }
            #expect(bytes < 20_000)
        }
    }

    @Test func `a text is cut between code points`() {
        #expect("äöü".utf8Prefix(6) == "äöü")
        #expect("äöüa".utf8Prefix(6) == "ä…")
        #expect("abc".utf8Prefix(0).utf8.count <= 3)
    }
}

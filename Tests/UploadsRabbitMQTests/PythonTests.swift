import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// An independent producer and listener: Python with pika, by the published contract alone.
@Suite(.timeLimit(.minutes(10))) struct PythonTests {
    private static let enqueue = """
        import base64, json, pika, sys, uuid
        url, namespace = sys.argv[1:3]
        connection = pika.BlockingConnection(pika.URLParameters(url))
        channel = connection.channel()
        channel.confirm_delivery()
        job = str(uuid.uuid4())
        body = {
            "id": job, "queue": "default", "priority": "normal", "size": 3,
            "source": {"kind": "inline", "data": base64.b64encode(b"abc").decode()},
            "destination": {"name": "photos", "key": "from/python.txt"},
            "enqueuedAt": "2026-11-21T08:00:00Z",
        }
        channel.basic_publish(
            namespace + ".submit", "default.normal." + body["id"][-1], json.dumps(body),
            pika.BasicProperties(content_type="application/json", delivery_mode=2, message_id=job,
                                 type="upload.job.v1"),
            mandatory=True)
        connection.close()
        print(job, end="")
        """

    private static let listen = """
        import json, pika, sys
        url, queue = sys.argv[1:3]
        connection = pika.BlockingConnection(pika.URLParameters(url))
        channel = connection.channel()
        wanted = int(sys.argv[3])
        exec(sys.argv[4])
        for method, properties, body in channel.consume(queue, inactivity_timeout=60):
            for event in events(properties, body):
                print(properties.type, properties.content_type, event["subject"], event["data"]["object"]["location"])
                wanted -= 1
            channel.basic_ack(method.delivery_tag)
            if wanted == 0:
                break
        channel.cancel()
        connection.close()
        """

    /// The queue of a program that listens to completed uploads.
    private func listener(_ rig: Rig) async throws -> String {
        let listener = "\(rig.topology.namespace).python"
        let topology = Topology(
            queues: [Queue(name: listener, arguments: ["x-max-length": 100, "x-overflow": "drop-head"])],
            bindings: [
                Binding(source: rig.topology.events, destination: .queue(listener), routingKey: "completed.default.#")
            ])
        try await rig.connection.define(topology)
        rig.atEnd { [connection = rig.connection] in try? await connection.delete(topology) }
        return listener
    }

    private func listen(_ rig: Rig, to queue: String, count: Int) async throws -> [String] {
        let arguments = [rig.node.url, queue, "\(count)", try Python.example(of: "WireFormat")]
        return try await Python.run(Self.listen, arguments: arguments).split(separator: "\n").map(String.init)
    }

    @Test func `a job made in Python is worked on, and its outcome read in Python`() async throws {
        try await Rig.run { rig in
            let listener = try await listener(rig)
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            let id = try await Python.run(Self.enqueue, arguments: [rig.node.url, rig.topology.namespace])
            let lines = try await listen(rig, to: listener, count: 1)
            #expect(lines == ["upload.completed application/cloudevents+json \(id) /there"])
            let job = try #require(handler.handled.value.first?.job)
            #expect(job.id.rawValue == id)
            #expect(job.source == .inline(Data("abc".utf8)))
            #expect(job.destination == .named(DestinationName(unchecked: "photos"), key: "from/python.txt"))
            #expect(job.contentType == "application/octet-stream")
            try await eventually("the notifier has the job") {
                probe.messages.value.contains(.job(job, maybeRepeated: false))
            }
        }
    }

    @Test func `outcomes of many jobs that end together are read in Python, by the example of the documentation`()
        async throws
    {
        try await Rig.run { rig in
            let listener = try await listener(rig)
            let door = Door()
            let handler = TestHandler { claimed in
                await door.wait()
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(prefetchPerLane: 40), handler)
            let jobs = (0..<40).map { _ in Samples.job() }
            for job in jobs { try await rig.put(try WireFormat.message(job: job)) }
            try await eventually("all are under way") { handler.handled.value.count == jobs.count }
            door.open()
            let lines = try await listen(rig, to: listener, count: jobs.count).map { $0.split(separator: " ") }
            #expect(Set(lines.map { String($0[2]) }) == Set(jobs.map(\.id.rawValue)))
            #expect(lines.contains { $0[1] == "application/cloudevents-batch+json" })
        }
    }
}

import Foundation
import Testing
import UploadTesting

/// A program in another language takes part by the published schemas alone.
@Suite(.timeLimit(.minutes(40))) struct OtherLanguageTests {
    @Test func aPythonScriptEnqueuesAJobAndReadsItsOutcome() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            // The topology exists once one of the programs has declared it.
            _ = try await deployment.enqueue(
                ["--to", "local:first", "--wait", try deployment.makeFile("f", bytes: 1).path])
            let schemas = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Sources/UploadsRabbitMQ/Schemas")
            let printed = try await Shell.run(
                "python3", "-c", Self.script, deployment.broker.url, deployment.namespace, schemas.path)
            #expect(printed.split(separator: "\n").last == "upload.completed hello.txt")
            let arrived = deployment.uploaded.appending(path: "hello.txt")
            #expect(try String(contentsOf: arrived, encoding: .utf8) == "hello from Python")
        }
    }

    /// The README's example as it stands, but for the prefix of the names on this test's broker.
    @Test func theProducerInTheReadmeWorksAsItStands() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "```python\n"))
        let end = try #require(readme[start.upperBound...].range(of: "```"))
        let example = String(readme[start.upperBound..<end.lowerBound])
        let archive = try TemporaryDirectory()
        try await Deployment.with(destinations: ["archive: {driver: directory, path: \(archive.path)}"]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            _ = try await deployment.enqueue(
                ["--to", "archive:first", "--wait", try deployment.makeFile("f", bytes: 1).path])
            let script = example.replacing("\"upload.submit\"", with: "\"\(deployment.namespace).submit\"")
            let printed = try await Shell.run(
                ["env", "UPLOAD_BROKER=\(deployment.broker.url)", "python3", "-c", script])
            let id = printed.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(try await deployment.waitForOutcome(of: id)["type"] as? String == "upload.completed")
            #expect(try String(contentsOf: archive.url("hello.txt"), encoding: .utf8) == "hello")
        }
    }

    static let script = """
        import base64, datetime, json, pathlib, pika, sys, uuid, jsonschema
        url, namespace, schemas = sys.argv[1:]
        connection = pika.BlockingConnection(pika.URLParameters(url))
        channel = connection.channel()
        queue = channel.queue_declare("", exclusive=True, arguments={"x-max-length": 100}).method.queue
        channel.queue_bind(queue, f"{namespace}.outcomes", "#")
        data = b"hello from Python"
        job = {
            "id": str(uuid.uuid4()), "queue": "default", "size": len(data),
            "enqueuedAt": datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z"),
            "source": {"kind": "inline", "data": base64.b64encode(data).decode()},
            "destination": {"name": "local", "key": "hello.txt"},
        }
        schema = json.loads(pathlib.Path(schemas, "upload.job.v1.schema.json").read_text())
        jsonschema.validate(job, schema)
        channel.confirm_delivery()
        channel.basic_publish(f"{namespace}.submit", f"default.normal.{job['id'][-1]}", json.dumps(job), mandatory=True,
            properties=pika.BasicProperties(type="upload.job.v1", content_type="application/json",
                                            message_id=job["id"], delivery_mode=2))
        for method, properties, body in channel.consume(queue, auto_ack=True, inactivity_timeout=60):
            assert body is not None, "no outcome within a minute"
            event = json.loads(body)
            if event["subject"] == job["id"]:
                print(event["type"], event["data"]["job"]["destination"]["key"])
                break
        """

    @Test func aMessageThatIsNoJobIsKeptWithItsReasonAndHarmsNobody() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("f", bytes: 1)
            _ = try await deployment.enqueue(["--to", "local:first", "--wait", file.path])
            _ = try await Shell.run(
                "python3", "-c",
                """
                import pika, sys
                channel = pika.BlockingConnection(pika.URLParameters(sys.argv[1])).channel()
                channel.confirm_delivery()
                for body in (b"not json", b'{"id": 7}', b"\\xff\\x00"):
                    channel.basic_publish(f"{sys.argv[2]}.submit", "default.normal", body,
                        properties=pika.BasicProperties(type="upload.job.v1", delivery_mode=2), mandatory=True)
                """, deployment.broker.url, deployment.namespace)
            _ = try await deployment.enqueue(["--to", "local:second", "--wait", file.path])
            try await eventually("the unreadable messages are in the ledger") {
                try deployment.queryLedger("SELECT COUNT(*) FROM unreadable WHERE reason <> ''").first.flatMap {
                    Int($0)
                } ?? 0 >= 3
            }
        }
    }

    /// Headers that nest deeper than a dead letter may carry.
    @Test func messagesWithDeeplyNestedHeadersHoldUpNoLaneAndAreListed() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let port = try #require(notifier.port)
            try deployment.start(.worker)
            let file = try deployment.makeFile("f", bytes: 1)
            _ = try await deployment.enqueue(["--to", "local:first", "--wait", file.path])
            _ = try await Shell.run(
                "python3", "-c",
                """
                import pika, sys
                channel = pika.BlockingConnection(pika.URLParameters(sys.argv[1])).channel()
                channel.confirm_delivery()
                nested = "end"
                for _ in range(40):
                    nested = {"n": nested}
                for number in range(60):
                    channel.basic_publish(f"{sys.argv[2]}.jobs", "default.normal", b"no job %d" % number,
                        properties=pika.BasicProperties(type="upload.job.v1", headers=nested, delivery_mode=2),
                        mandatory=True)
                """, deployment.broker.url, deployment.namespace)
            for number in 0..<5 {
                _ = try await deployment.enqueue(["--to", "local:next\(number)", "--wait", file.path])
            }
            try await eventually("the letters are in the ledger") {
                try deployment.queryLedger("SELECT COUNT(*) FROM unreadable") == ["60"]
            }
            let listed = try await deployment.control(
                "dead", "list", "--limit", "100", "-o", "ndjson", "--api", "http://127.0.0.1:\(port)")
            #expect(listed.outputText.split(separator: "\n").count == 60)
            #expect(listed.outputText.contains("nested more than 8 deep"))
        }
    }
}

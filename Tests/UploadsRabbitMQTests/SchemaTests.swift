import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// The published schemas against really written messages, judged by Python's jsonschema.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
    private static let validate = """
        import datetime, json, re, sys, pathlib
        from jsonschema import Draft202012Validator, FormatChecker
        from referencing import Registry, Resource
        directory = pathlib.Path(sys.argv[1])
        schemas = {p.name: json.loads(p.read_text()) for p in directory.glob("*.schema.json")}
        for schema in schemas.values():
            Draft202012Validator.check_schema(schema)
        # In the patterns of JSON Schema (ECMA 262) $ is the end of the text, in Python also the place before a last line end.
        def anchored(node):
            if isinstance(node, list):
                return [anchored(element) for element in node]
            if not isinstance(node, dict):
                return node
            return {
                name: re.sub(r"[$](?=[)]|$)", lambda _: r"\\Z", value) if name == "pattern" and isinstance(value, str)
                else anchored(value)
                for name, value in node.items()
            }
        schemas = {name: anchored(schema) for name, schema in schemas.items()}
        formats = FormatChecker(formats=())
        @formats.checks("date-time", raises=ValueError)
        def is_time(value):
            if not isinstance(value, str):
                return True
            form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
            short = re.sub(r"([.][0-9]{6})[0-9]+", r"\\1", value)
            return re.fullmatch(form, value, re.A) and datetime.datetime.fromisoformat(short).year >= 1970
        @formats.checks("uuid")
        def is_uuid(value):
            return not isinstance(value, str) or re.fullmatch("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", value)
        registry = Registry().with_resources((n, Resource.from_contents(s)) for n, s in schemas.items())
        for line in sys.stdin:
            case = json.loads(line)
            validator = Draft202012Validator(schemas[case["schema"] + ".schema.json"], registry=registry, format_checker=formats)
            errors = [(e.json_path + ": " + e.message)[:300].replace("\\n", " ") for e in validator.iter_errors(case["value"])]
            print("valid" if not errors else " | ".join(errors))
        """

    static func judge(_ cases: [(schema: String, json: Data)]) async throws -> [String] {
        let lines = cases.map {
            "{\"schema\": \"\($0.schema)\", \"value\": \(String(decoding: $0.json, as: UTF8.self))}"
        }
        let input = Data((lines.joined(separator: "\n") + "\n").utf8)
        return try await Python.run(validate, arguments: [Python.schemas], input: input)
            .split(separator: "\n").map(String.init)
    }

    private func fullBaton() -> Baton {
        var baton = Samples.baton(Samples.presigned(), generation: 3, slice: 2)
        baton.state = UploadState(
            driver: "s3", payload: ["upload": "x", "parts": [1, 2]], checksums: FuzzSamples.checksums)
        baton.startedAt = Date()
        baton.failures = [FailureRecord(at: Date(), attempt: 1, error: UploadError(.serverFailure, "503"))]
        baton.job.notBefore = Date()
        baton.job.batch = "holiday"
        baton.job.client = "gallery"
        baton.job.ifExists = .skip
        baton.job.verify = true
        baton.state?.readBack = ReadBack(of: StoredObject(location: "/a", etag: "e", size: 3))
        baton.job.properties = ObjectProperties(
            cacheControl: "max-age=60", contentDisposition: "attachment; filename=\"a b\"", contentEncoding: "br",
            contentLanguage: "en", storageClass: "STANDARD_IA", tags: ["team": "web", "empty": ""])
        baton.onlyRemovesCopy = true
        baton.unknown = ["colour": "red"]
        return baton
    }

    @Test func `everything that is written is valid`() async throws {
        let baton = fullBaton()
        let staged = Samples.job(source: .staged(area: "area", name: "copy"))
        let identity = FileIdentity(
            modifiedAt: FileTime(nanoseconds: 1_700_000_000_123_456_789), inode: .max, fileSystem: 9)
        let file = Samples.job(source: .file(path: "/srv/in/a", identity: identity))
        var object = Samples.job(source: .object(.named(DestinationName(unchecked: "shelf"), key: "a"), seen: nil))
        object.size = 0
        let seen = object.examined(as: StoredObject(location: "/shelf/a", etag: "e", size: 3), contentType: "a/b")
        let error = UploadError(.rateLimited, "slow down", retry: .after(seconds: 3))
        let settled: [Settlement] = [
            .ended(
                .completed(
                    StoredObject(
                        location: "/a", etag: "e", size: 3, digests: baton.job.digests, isKept: true,
                        isServerSideCopy: true,
                        verified: .checksum),
                    response: ServerResponse(status: 200, headers: ["etag": "e"], body: Data("ok".utf8)))),
            .ended(.failed(error, state: baton.state)), .ended(.cancelled), .handOver(baton.state),
            .altered(seen),
            .wait(until: Date(), reason: .retry(error), state: nil),
            .wait(
                until: Date(), reason: .notYet(UploadError(.unknown, "not done", retry: .notYet(seconds: 5))),
                state: baton.state),
            .wait(until: Date(), reason: .paused, state: nil),
        ]
        var piece = SnapshotPiece(of: UUID(), number: 2, count: SnapshotPiece.countMaximum)
        piece.fences = [baton.job.id: WireLimits.countMaximum]
        piece.stoppedQueues = [.standard]
        piece.drainedWorkers = ["host/1-a"]
        piece.ledger = LedgerClaim(ledger: UUID(), term: WireLimits.countMaximum, opening: UUID())
        var cases: [(String, Data)] = []
        var serial = Samples.job()
        serial.serial = .end
        var inserted = Samples.job()
        inserted.serial = SerialPosition(index: 3, after: serial.id)
        // What goes to a pre-signed URL cannot be read back.
        var full = baton.job
        full.verify = false
        for job in [staged, file, object, seen, Samples.job(), full, serial, inserted] {
            cases.append(("upload.job.v1", try WireFormat.message(job: job).body))
        }
        cases.append(("upload.baton.v1", try WireFormat.message(baton: baton).body))
        cases.append(("upload.baton.v1", try WireFormat.message(baton: Samples.baton()).body))
        var telling = baton
        telling.onlyRemovesCopy = false
        for settlement in settled {
            let event = try #require(SettlementPlan(SettledSlice(settlement), of: telling, now: Date()).event)
            cases.append(("upload.event.v1", try WireFormat.message(event: event).body))
            cases.append(("upload.event.v1", try WireFormat.message(event: event.asOutcome).body))
        }
        for kind in [EventKind.enqueued, .started, .suspect, .progress] {
            var event = UploadEvent(kind: kind, of: baton, at: Date())
            event.trace = TraceParent(WireFormatTests.trace)
            let message = try WireFormat.message(event: event)
            cases.append(("upload.event.v1", message.body))
            cases.append(("upload.events.v1", WireFormat.batch(Array(repeating: message, count: 64)).body))
        }
        for entry in [
            ControlEntry.fence([baton.job.id: 2]), .pause([baton.job.id: 2]), .lift([baton.job.id]),
            .forget([baton.job.id: 2]),
            .queueStopped(.standard), .queueStarted(.standard), .workerDrained("host/1-a"), .workerResumed("host/1-a"),
            .snapshotBegins(UUID()), .snapshot(piece),
            .ledger(LedgerClaim(ledger: UUID(), term: 1, opening: UUID())), .marker(UUID()),
            .lift((0..<ControlEntry.jobCountMaximum).map { _ in JobID() }),
        ] {
            cases.append(("upload.control.v1", try WireFormat.message(entry: entry).body))
        }
        for command in OrderTests.commands {
            let order = UploadOrder(command, by: "jo@here")
            cases.append(("upload.order.v1", try WireFormat.message(order: order, replyTo: "there").body))
        }
        for circuit in DestinationReport.CircuitState.allCases {
            var report = DestinationReport(worker: "host/1-a", destination: "photos", circuit: circuit, at: Date())
            cases.append(("upload.destination.v1", try WireFormat.message(report: report).body))
            report.origin = "https://host.example:8443"
            report.until = Date()
            report.partsInFlight = 2
            report.jobsAtOnce = 64
            report.limits = TransferLimits(jobs: 1, parts: 2, bytesPerSecond: 3, requestsPerSecond: 4)
            report.pace.bytesPerSecond = 1.5e9
            cases.append(("upload.destination.v1", try WireFormat.message(report: report).body))
        }
        for state in WorkerReport.State.allCases {
            var report = WorkerReport(
                worker: "host/1-a", host: "host", version: "1.0.0", queues: [], state: state, slots: 512,
                startedAt: Date(), at: Date())
            cases.append(("upload.worker.v1", try WireFormat.message(worker: report).body))
            report.commit = "0123456789ab"
            report.queues = [.standard]
            report.jobs = [WorkerReport.RunningJob(id: JobID(), since: Date())]
            report.bytesPerSecond = 1.5e9
            cases.append(("upload.worker.v1", try WireFormat.message(worker: report).body))
        }
        var answer = OrderAnswer(order: UUID(), problem: .tooMany)
        cases.append(("upload.answer.v1", try WireFormat.message(answer: answer).body))
        answer.add([OrderAnswer.Job(id: JobID()), OrderAnswer.Job(id: JobID(), reason: "it has ended")])
        cases.append(("upload.answer.v1", try WireFormat.message(answer: answer).body))
        var told = OrderAnswer(order: UUID())
        var report = JobReport(LedgerJob(baton, isWhole: true, at: Date()))
        told.add([OrderAnswer.Job(id: JobID(), report: report)])
        cases.append(("upload.answer.v1", try WireFormat.message(answer: told).body))
        report.note(bytesDone: .max, bytesPerSecond: .infinity, at: Date())
        told.add([OrderAnswer.Job(id: JobID(), report: report)])
        cases.append(("upload.answer.v1", try WireFormat.message(answer: told).body))
        let verdicts = try await Self.judge(cases)
        #expect(verdicts.count == cases.count)
        for (verdict, written) in zip(verdicts, cases) {
            #expect(verdict == "valid", "\(String(decoding: written.1, as: UTF8.self))")
        }
    }

    private func order(_ rest: String) -> String {
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "at": "2026-11-21T08:00:00Z", "by": "jo", \#(rest)}"#
    }

    @Test func `what cannot be read is not valid either`() async throws {
        let cases: [(String, String)] = [
            ("upload.job.v1", "{}"),
            ("upload.job.v1", #"{"id": "x", "size": -1, "source": {"kind": "pigeon"}, "destination": {}}"#),
            (
                "upload.job.v1",
                String(decoding: try WireFormat.message(job: Samples.job()).body, as: UTF8.self)
                    .replacing(#""id":"#, with: #""ifExists":"maybe","id":"#)
            ),
            (
                "upload.job.v1",
                String(decoding: try WireFormat.message(job: Samples.job()).body, as: UTF8.self)
                    .replacing(#""id":"#, with: #""properties":{"cacheControl":"a\nb"},"id":"#)
            ),
            (
                "upload.job.v1",
                String(decoding: try WireFormat.message(job: Samples.job()).body, as: UTF8.self)
                    .replacing(#""id":"#, with: #""serial":{"index":-1},"id":"#)
            ),
            ("upload.destination.v1", #"{"worker": "w", "destination": "photos"}"#),
            ("upload.worker.v1", #"{"worker": "w", "host": "h"}"#),
            ("upload.order.v1", order(#""verb": "move", "jobs": []"#)),
            ("upload.order.v1", order(#""verb": "move", "jobs": ["7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001"], "to": -1"#)),
            (
                "upload.order.v1",
                order(
                    #""verb": "move", "jobs": ["7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001"], "to": 1, "after": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001""#
                )
            ),
            ("upload.baton.v1", #"{"round": 0, "generation": 1}"#),
            ("upload.event.v1", #"{"specversion": "1.0", "type": "upload.pancake"}"#),
            ("upload.events.v1", "[]"),
            ("upload.events.v1", #"[{"specversion": "1.0", "type": "upload.pancake"}]"#),
            ("upload.control.v1", #"{"kind": "fence"}"#),
            ("upload.control.v1", #"{"kind": "fence", "generations": {"\#(JobID())": 0}}"#),
            ("upload.control.v1", #"{"kind": "pause", "generations": {"\#(JobID())": 1000000001}}"#),
            ("upload.control.v1", #"{"kind": "lift", "jobs": \#((0..<1001).map { _ in "\(JobID())" })}"#),
            ("upload.control.v1", #"{"kind": "snapshotBegins"}"#),
            ("upload.control.v1", #"{"kind": "ledger", "ledger": "\#(UUID())", "term": 0, "opening": "\#(UUID())"}"#),
            ("upload.control.v1", #"{"kind": "ledger", "ledger": "\#(UUID())", "term": 1}"#),
            (
                "upload.control.v1",
                #"{"kind": "snapshot", "id": "\#(UUID())", "piece": 1, "pieces": 100001, "fences": {}, "pauses": {}, "stoppedQueues": []}"#
            ),
            ("upload.order.v1", #"{"verb": "cancel", "jobs": []}"#),
            ("upload.order.v1", order(#""verb": "cancel""#)),
            ("upload.order.v1", order(#""verb": "cancel", "jobs": []"#)),
            ("upload.order.v1", order(#""verb": "cancel", "filter": {"statuses": ["asleep"]}"#)),
            ("upload.order.v1", order(#""verb": "cancel", "filter": {"error": "denied"}"#)),
            ("upload.order.v1", order(#""verb": "cancel", "filter": {"text": "ab"}"#)),
            ("upload.order.v1", order(#""verb": "stopQueue", "queues": ["A B"]"#)),
            ("upload.order.v1", order(#""verb": "ask", "filter": {}"#)),
            ("upload.order.v1", order(#""verb": "drainWorker", "workers": []"#)),
            ("upload.order.v1", order(#""verb": "resumeWorker", "workers": [""]"#)),
            ("upload.order.v1", order(#""verb": "drainWorker", "queues": ["default"]"#)),
            ("upload.control.v1", #"{"kind": "workerDrained", "worker": ""}"#),
            ("upload.order.v1", order(#""verb": "stopQueue", "filter": {}"#)),
            ("upload.answer.v1", #"{"order": "x"}"#),
        ]
        let verdicts = try await Self.judge(cases.map { ($0.0, Data($0.1.utf8)) })
        #expect(verdicts.count == cases.count)
        #expect(!verdicts.contains("valid"))
    }
}

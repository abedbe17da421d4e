import Foundation
import Testing
import Uploads

@Suite("Issuing: jobs that are forgotten")
struct IssuingForgottenTests {
    /// A job with a name in every place where one may stand.
    private static var named: UploadJob {
        var job = UploadJob(
            source: .file(path: "/in/anna-source", identity: FileIdentity(inode: 1)),
            destination: .named(DestinationName(unchecked: "photos"), key: "anna-key"),
            contentType: "text/anna-type", size: 5, digests: Digests(sha256: "anna-sha", crc64nvme: "anna-crc"),
            metadata: ["anna-name": "anna-value"], enqueuedAt: Date(timeIntervalSince1970: 1_800_000_000))
        job.renamedFrom = .named(DestinationName(unchecked: "photos"), key: "anna-renamed")
        job.properties = ObjectProperties(contentDisposition: "anna-disposition", tags: ["anna-tag": "1"])
        job.batch = "anna-batch"
        job.client = "app.example"
        job.idempotencyKey = "anna-idempotency"
        job.unknown = ["anna-unknown": "1"]
        return job
    }

    private static func failed(_ scene: IssuingScene) -> UploadEvent {
        var baton = scene.baton()
        baton.unknown = ["anna-unknown": "1"]
        let error = UploadError(
            .rejected, "anna-error", response: ServerResponse(status: 400, body: Data("anna-body".utf8)))
        baton.attempts = 1
        baton.failures = [FailureRecord(at: scene.start, attempt: 1, error: error)]
        return UploadEvent(outcome: .failed(error, state: nil), of: baton, at: scene.start)
    }

    private func forgotten(_ job: UploadJob = named) throws -> IssuingScene {
        var scene = IssuingScene(job)
        scene.receive(.event(Self.failed(scene)))
        try scene.order(.forget)
        return scene
    }

    @Test func `names, metadata, answers and words of errors are gone; id, round, end and counts stay`() throws {
        var scene = IssuingScene(Self.named)
        scene.receive(.event(Self.failed(scene)))
        let before = try #require(scene.job)
        #expect(try text(before).components(separatedBy: "anna").count > 10)
        try scene.order(.forget)
        let after = try #require(scene.job)
        #expect(try !text(after).contains("anna"))
        #expect(scene.actions.isEmpty)
        #expect(after.id == before.id && after.round == before.round && after.generation == before.generation)
        #expect(after.status == .failed && after.since == before.since && after.end?.event == before.end?.event)
        #expect(after.end?.error?.code == .rejected && after.baton.failures.map(\.code) == [.rejected])
        #expect(after.baton.job.size == 5 && after.baton.job.destination.label == "photos")
        #expect(after.baton.job.client == "app.example")
        #expect(after.fenceEndsAt == before.fenceEndsAt, "the fence stays as long as it would have")
        #expect(after.forgottenAt == scene.start)
        #expect(try WireJSON.decode(LedgerJob.self, from: WireJSON.encode(after)) == after)
    }

    @Test func `an event loses the same, and keeps what happened when`() throws {
        let event = Self.failed(IssuingScene(Self.named))
        #expect(try text(event).contains("anna"))
        let forgotten = event.forgotten
        #expect(try !text(forgotten).contains("anna"))
        #expect(forgotten.id == event.id && forgotten.kind == .failed && forgotten.time == event.time)
        #expect(forgotten.routingKey == event.routingKey && forgotten.data.endedAt == event.data.endedAt)
    }

    @Test(arguments: ["photos://anna", "https://anna.example/a?b", "no scheme"])
    func `a URL keeps the label that its job is counted by`(url: String) throws {
        var job = Self.named
        job.destination = .url(url)
        let scene = try forgotten(job)
        #expect(scene.job?.baton.job.destination.label == job.destination.label)
        #expect(try !text(try #require(scene.job)).contains("anna"))
    }

    @Test func `what comes late of a forgotten job changes nothing, records nothing and issues nothing`() throws {
        var scene = try forgotten()
        let known = scene.job
        var late = Baton(job: scene.order)
        late.slice = 3
        let marker = IssueMarker(job: scene.order.id, round: 1, generation: 1)
        let messages: [NotifierMessage] = [
            .job(scene.order, maybeRepeated: true), .marker(marker), .deadBaton(late, .deliveryLimit),
            .event(UploadEvent(kind: .suspect, of: late, at: scene.start)),
            .event(UploadEvent(kind: .completed, of: late, at: scene.start)),
        ]
        for message in messages {
            scene.receive(message)
            #expect(scene.actions == [.note(.forgotten)])
            #expect(scene.job == known)
        }
    }

    @Test func `a later round of a forgotten job is learned of anew: the ledger is older than it`() throws {
        var scene = try forgotten()
        scene.tell(.suspect, Baton(job: scene.order, round: 2, generation: 2))
        #expect(scene.job?.forgottenAt == nil && scene.job?.baton.job == scene.order)
        scene.markerComesBy()
        #expect(scene.issued?.round == 2)
    }

    @Test func `only a job that has ended, and has left nothing, is forgotten`() throws {
        func refusal(_ scene: IssuingScene) -> String? {
            var scene = scene
            return #expect(throws: UploadError.self) { try scene.order(.forget) }?.message
        }
        var scene = IssuingScene()
        #expect(refusal(scene)?.contains("has not ended") == true)
        scene.tell(.failed, scene.baton(state: IssuingScene.state("left")))
        #expect(refusal(scene)?.contains("uploadctl discard") == true)
        scene = IssuingScene()
        scene.tell(.failed)
        try scene.order(.runAgain)
        #expect(refusal(scene)?.contains("is about to run again") == true)
    }

    @Test func `forgetting twice is once, and a forgotten job obeys nothing else`() throws {
        var scene = try forgotten()
        let known = scene.job
        try scene.order(.forget)
        #expect(scene.job == known)
        for verb in Verb.allCases where verb != .forget {
            let error = #expect(throws: UploadError.self) { try scene.order(verb) }
            #expect(error?.message.contains("was forgotten") == true)
        }
    }

    @Test func `what a forgotten job has left is cleaned up without a wait`() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000) + 7200
        var job = Self.named
        job.source = .staged(area: "a", name: "n")
        var scene = IssuingScene(job)
        scene.receive(.event(Self.failed(scene)))
        let leftover = StagedLeftover(kind: .copy, name: "n", changedAt: scene.start, isInOutbox: false)
        let upload = UnfinishedUpload(key: "k", sessionID: "s", startedAt: now - 2 * 86_400, job: job.id)
        func isAbandoned() throws -> [Bool] {
            let job = try #require(scene.job)
            return [
                StagingRule().isAbandoned(leftover, jobs: [job], now: now),
                SweepRule().isAbandoned(upload, owner: .job(job), now: now),
            ]
        }
        #expect(try isAbandoned() == [false, false])
        try scene.order(.forget)
        #expect(try isAbandoned() == [true, true])
    }

    @Test func `a filter of an order to forget matches ended jobs alone`() {
        #expect(OrderFilter().statuses(for: .forget) == [.completed, .failed, .cancelled])
        #expect(OrderFilter(statuses: [.running, .failed]).statuses(for: .forget) == [.failed])
    }

    @Test func `an order to forget travels whole`() throws {
        let filter = OrderFilter(batch: "trip", endedUntil: Date(timeIntervalSince1970: 1_800_000_000))
        let order = UploadOrder(.matching(.forget, filter, atMost: 3), by: "jo", at: Date(timeIntervalSince1970: 1))
        #expect(try WireJSON.decode(UploadOrder.self, from: WireJSON.encode(order)) == order)
        #expect(order.command.isForgetting && !order.command.isSweep)
        #expect(!UploadOrder.Command.jobs(.cancel, [JobID()]).isForgetting)
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }
}

import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Broker operations that carry orders out in the ledger at once, as the notifier at the other end of the broker would.
final class LedgerOperations: BrokerOperations {
    private struct State {
        var orders: [UploadOrder] = []
        var view = ControlView()
        var depths: [QueueName: [Lane: LaneDepth]] = [:]
        var failure: UploadError?
        var isSilent = false
        var replays: [UnreadableMessage] = []
        var enqueued: [Enqueued] = []
        var isLost = false
    }

    struct Enqueued: Hashable {
        let job: UploadJob
        let maybeRepeated: Bool
    }

    private let ledger: Ledger
    private let state = Mutex(State())

    init(_ ledger: Ledger) { self.ledger = ledger }

    var orders: [UploadOrder] { state.withLock { $0.orders } }

    func set(_ depths: [QueueName: [Lane: LaneDepth]]) { state.withLock { $0.depths = depths } }
    func fail(_ failure: UploadError?) { state.withLock { $0.failure = failure } }
    /// From now on, takes orders and does not answer them.
    func silence() { state.withLock { $0.isSilent = true } }

    /// The jobs that were published, also those whose confirm was lost.
    var enqueued: [Enqueued] { state.withLock { $0.enqueued } }
    /// Whether the broker takes jobs from now on, and their confirms are lost.
    func loseConfirms(_ isLost: Bool) { state.withLock { $0.isLost = isLost } }

    func id(of idempotencyKey: String, in queue: QueueName) -> JobID {
        let digits = CRC64NVME(of: Array("\(queue) \(idempotencyKey)".utf8)).hexadecimal.prefix(12)
        return JobID("00000000-0000-8000-8000-\(digits)") ?? JobID()
    }

    func enqueue(
        _ job: UploadJob, maybeRepeated: Bool, within limit: Duration, trace: TraceParent?
    ) async throws(UploadError) {
        try check()
        let isLost = state.withLock { state in
            state.enqueued.append(Enqueued(job: job, maybeRepeated: maybeRepeated))
            return state.isLost
        }
        do {
            _ = try await ledger.record(
                [.job(job, maybeRepeated: maybeRepeated)], view: ControlView(), routes: [], now: Sample.start)
        } catch {
            throw UploadError(.unknown, "\(error)")
        }
        if isLost { throw UploadError(.networkFailure, "the broker did not confirm") }
    }

    func order(_ order: UploadOrder, patience: Duration?) async throws(UploadError) -> OrderAnswer? {
        try check()
        if order.command.isQuestion { return OrderAnswer(order: order.id) }
        let isSilent = state.withLock { state in
            state.orders.append(order)
            return state.isSilent
        }
        guard patience != nil, !isSilent else { return nil }
        while true {
            let step = try await ledger.carryOut(order, view: state.withLock { $0.view }, routes: [], now: Sample.start)
            for owed in step.owed {
                if case .append(let entry) = owed.action { state.withLock { $0.view.apply(entry) } }
            }
            if let answer = step.answer { return answer }
        }
    }

    var replays: [UnreadableMessage] { state.withLock { $0.replays } }

    func replay(_ letter: UnreadableMessage) async throws(UploadError) -> String {
        try check()
        state.withLock { $0.replays.append(letter) }
        return "the notifier's queue"
    }

    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try check()
        return state.withLock { $0.depths }
    }

    func controlView() async throws(UploadError) -> ControlView {
        try check()
        return state.withLock { $0.view }
    }

    private func check() throws(UploadError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

extension APIAccess {
    /// One token that may do everything.
    static func token(_ text: String) -> APIAccess {
        .tokens([APIToken("notifier.token", role: .administer, texts: [text])])
    }
}

/// The API on a ledger of a test's own.
struct APIHouse: Sendable {
    let scratch: Scratch
    let ledger: Ledger
    let operations: LedgerOperations
    let notifier: NotifierService
    let delegates: DelegateManager
    let queues = MemoryQueues()
    let progress: LatestProgress
    let api: NotifierAPI

    /// - Parameter logger: receives the log of the delegate manager.
    init(
        access: APIAccess = .loopback, delegate: any CompletionDelegate = ScriptedDelegate("hook"),
        allowNetworks: [NetworkRange] = [], streaming: EventStreamLimits = EventStreamLimits(),
        progress: LatestProgress = LatestProgress(), clock: NotifierClock = .system, logger: Logger = quiet
    ) async throws {
        self.progress = progress
        scratch = try Scratch()
        ledger = try Ledger.open(path: scratch.file())
        operations = LedgerOperations(ledger)
        var summary = DelegateSummary(
            name: delegate.name, kind: "webhook", target: "https://host.example/hook", types: ["failed"])
        summary.hasSecret = true
        delegates = DelegateManager(register: ledger, logger: logger)
        let queues = queues
        try await delegates.configure(
            [RegisteredDelegate(delegate, summary: summary)], allowNetworks: allowNetworks
        ) { (configuration) throws(UploadError) in
            try RegisteredDelegate(configuration, allowNetworks: allowNetworks, queues: queues, logger: quiet)
        }
        let ledger = ledger
        notifier = await delegates.serve { delegates in
            NotifierService(bus: MemoryNotifierBus(), ledger: ledger, delegates: delegates, logger: quiet)
        }
        api = NotifierAPI(
            access: access, ledger: ledger, history: ledger, operations: operations, delegates: delegates,
            destinations: {
                [DestinationSummary(name: "photos", driver: "s3", limits: TransferLimits(jobs: 8))]
            }, progress: progress, streaming: streaming, clock: clock, logger: quiet)
    }

    func record(_ messages: [NotifierMessage]) async throws {
        _ = try await ledger.record(
            messages, view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: Sample.start)
    }

    func with(_ body: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        let router = Router(context: APIRequestContext.self)
        api.add(to: router, openPaths: ["/healthz"])
        router.get("/healthz") { _, _ in "alive\n" }
        try await Application(router: router, logger: quiet).test(.router, body)
    }
}

/// The parts of an answer that tests examine.
struct APIReply: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    var json: [String: Any] {
        get throws { try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) }
    }

    /// The last part of a problem's type.
    var problem: String? {
        (try? json["type"] as? String)?.split(separator: ":").last.map(String.init)
    }
}

extension TestClientProtocol {
    func ask(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> APIReply {
        var headers = headers
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        return try await execute(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
        ) { response in
            APIReply(
                status: response.status.code, headers: response.headers, text: String(buffer: response.body))
        }
    }
}

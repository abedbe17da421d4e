import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

/// A directory of a test's own, removed at its end.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "notifier-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "ledger.sqlite") -> String { "\(path)/\(name)" }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Waits until something holds; the limit only ends a test that has failed.
func until(_ seconds: Double = 300, _ holds: () async throws -> Bool) async throws {
    let end = Date().addingTimeInterval(seconds)
    while try await !holds() {
        try #require(Date() < end, "what was waited for did not happen within \(seconds) s")
        try await Task.sleep(for: .milliseconds(5))
    }
}

extension NotifierService {
    /// Runs the notifier until the body has returned or thrown, and stops it gracefully.
    func run(while body: () async throws -> Void) async throws {
        let group = ServiceGroup(services: [self], logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do { try await body() } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}

/// Delivers from the outbox to delegates while the body runs; what is under way then is cancelled.
func serve(
    _ outbox: some DeliveryOutbox, _ delegates: [RegisteredDelegate], clock: NotifierClock,
    while body: (DeliveryService) async throws -> Void
) async throws {
    let service = DeliveryService(
        outbox: outbox, delegates: delegates, clock: clock, stopGrace: .seconds(1), logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await service.run() }
        do { try await body(service) } catch {
            group.cancelAll()
            throw error
        }
        group.cancelAll()
        try await group.waitForAll()
    }
}

enum Sample {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    static func job(key: String = "a") -> UploadJob {
        UploadJob(
            source: .inline(Data("hello".utf8)), destination: .url("https://host.example/\(key)?signature=hidden"),
            size: 5, enqueuedAt: start)
    }

    static func event(_ kind: EventKind, _ job: UploadJob, generation: Int = 1, slice: Int = 0) -> NotifierMessage {
        var baton = Baton(job: job, generation: generation)
        baton.slice = slice
        return .event(UploadEvent(kind: kind, of: baton, at: start))
    }

    static let routes = [DeliveryRoute(delegate: "hook"), DeliveryRoute(delegate: "failures", kinds: [.failed])]
}

/// A clock that stands still until the test moves it.
final class ManualClock: Sendable {
    private struct State {
        var now = Sample.start
        var sleepers: [UUID: (until: Date, continuation: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())

    var now: Date { state.withLock { $0.now } }

    /// How many tasks sleep.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The time at which the next task wakes.
    var nextAlarm: Date? { state.withLock { $0.sleepers.values.map(\.until).min() } }

    func advance(to time: Date) {
        let due = state.withLock { state in
            state.now = max(state.now, time)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    var clock: NotifierClock {
        NotifierClock(now: { self.now }, sleep: { try await self.sleep(until: $0) })
    }

    private func sleep(until time: Date) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.now >= time || Task.isCancelled { return true }
                    state.sleepers[id] = (time, continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}

/// A delegate that a test scripts.
final class ScriptedDelegate: CompletionDelegate {
    let name: String
    private let answer: @Sendable (_ attempt: Int) async throws(UploadError) -> Void
    private let calls = Mutex<[UploadEvent]>([])

    init(_ name: String, _ answer: @escaping @Sendable (_ attempt: Int) async throws(UploadError) -> Void = { _ in }) {
        self.name = name
        self.answer = answer
    }

    /// Every attempt, in order.
    var attempts: [UploadEvent] { calls.withLock { $0 } }

    @discardableResult
    func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        let attempt = calls.withLock { calls in
            calls.append(event)
            return calls.count
        }
        try await answer(attempt)
        return nil
    }
}

/// Log lines, with their metadata.
final class Lines: Sendable {
    private struct Handler: LogHandler {
        let keep: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            keep("\(event.level) \(event.message) \(metadata.merging(event.metadata ?? [:]) { $1 })")
        }
    }

    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    var logger: Logger {
        Logger(label: "test") { _ in Handler(keep: { line in self.kept.withLock { $0.append(line) } }) }
    }
}

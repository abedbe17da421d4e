import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Uploads
import UploadsAPI

/// The stream of events as the ledger records them. Nothing is buffered for a reader: each stream reads the ledger at
/// its own pace, from the last event that it sent, and a reader that stops reading is cut off.
extension NotifierAPI {
    var eventRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/events", query: ["kind", "queue", "job", "after", "progress"]) { [self] in
                try await follow($0)
            }
        ]
    }

    private func follow(_ request: APIRequest) async throws -> APIAnswer {
        let job = try request.text("job")
        if let job, JobID(job) == nil { throw APIProblem.invalid("the query's 'job' is a UUID") }
        let kinds = try request.words("kind", EventKind.self)
        guard kinds?.contains(.progress) != true else {
            throw APIProblem.invalid("progress is not recorded, so it is no 'kind': ask for it with progress=true")
        }
        let filter = EventFilter(kinds: kinds, queue: try request.queue(), job: job.flatMap { JobID($0) })
        let showsProgress = try request.flag("progress")
        let start = try await start(of: request)
        let seat = try takeSeat()
        let channel = request.context?.channel
        return .stream(type: "text/event-stream") { [self] writer in
            defer { withExtendedLifetime(seat) {} }
            try await send(from: start, filter, showsProgress: showsProgress, to: &writer, channel: channel)
        }
    }

    /// Takes one of the places for readers of a stream.
    /// - Throws: `tooManyReaders` when no place is free.
    func takeSeat() throws(APIProblem) -> ReaderSeat {
        let isAdmitted = readers.withLock { count in
            guard count < streaming.readersMaximum else { return false }
            count += 1
            return true
        }
        guard isAdmitted else {
            var problem = APIProblem(
                .tooManyReaders,
                "\(streaming.readersMaximum) readers follow the events already; come back when one has left")
            problem.headers[.retryAfter] = "5"
            throw problem
        }
        return ReaderSeat { [self] in readers.withLock { $0 -= 1 } }
    }

    private func start(of request: APIRequest) async throws -> Int64 {
        if let last = request.lastEventID, !last.isEmpty {
            guard let sequence = Int64(last), sequence >= 0 else {
                throw APIProblem.invalid("Last-Event-ID is the id of an event that was sent here")
            }
            return sequence
        }
        if let after = try request.integer("after", in: 0...Int64.max) { return after }
        return try await ledger.lastSequence()
    }

    private func send(
        from start: Int64, _ filter: EventFilter, showsProgress: Bool, to writer: inout any ResponseBodyWriter,
        channel: (any Channel)?
    ) async throws {
        let watchdog = WriteWatchdog(channel, secondsMaximum: streaming.writeSecondsMaximum)
        var sequence = start
        var progressed = ProgressReader(filter, streaming)
        var lastWrite = ContinuousClock.now
        let beginning = ByteBuffer(bytes: ServerSentEvent.beginning(after: start))
        try await watchdog.watching { try await writer.write(beginning) }
        // A notifier that stops waits for its answers: this one would never end.
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel?.isActive ?? true {
            let page: EventPage
            do {
                page = try await ledger.events(after: sequence, filter, limit: streaming.pageCountMaximum)
            } catch {
                logger.warning("a reader of events is cut off", metadata: [LogKey.error: "\(error)"])
                return
            }
            var bytes: [UInt8] = []
            for recorded in page.events {
                let event = API.Event(recorded.event, sequence: recorded.sequence)
                bytes +=
                    ServerSentEvent(
                        id: String(recorded.sequence), type: recorded.event.kind.type, data: try WireJSON.encode(event)
                    ).bytes
            }
            sequence = page.through
            if showsProgress { bytes += try progressed.take(from: progress) }
            if bytes.isEmpty, ContinuousClock.now - lastWrite >= streaming.heartbeat {
                bytes = ServerSentEvent.heartbeat
            }
            if !bytes.isEmpty {
                try await watchdog.watching { try await writer.write(ByteBuffer(bytes: bytes)) }
                lastWrite = .now
            }
            if page.isLast { try await Task.sleep(for: streaming.pause) }
        }
    }
}

/// The progress reports that one reader has not been sent yet.
private struct ProgressReader {
    private let filter: EventFilter
    private let streaming: EventStreamLimits
    private var version: UInt64 = 0
    private var lastAt: ContinuousClock.Instant?

    init(_ filter: EventFilter, _ streaming: EventStreamLimits) {
        self.filter = filter
        self.streaming = streaming
    }

    /// The new reports, if it is time again. They carry no id, so that a reader who reconnects goes on behind the last
    /// event.
    mutating func take(from latest: LatestProgress) throws -> [UInt8] {
        guard lastAt.map({ ContinuousClock.now - $0 >= streaming.progressInterval }) ?? true else { return [] }
        lastAt = .now
        let changes = latest.changes(since: version, limit: streaming.progressCountMaximum) { entry in
            (filter.queue.map { $0 == entry.queue } ?? true) && (filter.job.map { $0 == entry.job } ?? true)
        }
        version = changes.version
        return try changes.entries.flatMap { entry in
            ServerSentEvent(id: nil, type: "progress", data: try WireJSON.encode(API.JobProgress(entry))).bytes
        }
    }
}

/// One of the places for readers of a stream. It is given back when this object is released, also if the answer was
/// never written.
final class ReaderSeat: Sendable {
    private let leave: @Sendable () -> Void

    fileprivate init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { leave() }
}

/// Closes a connection whose reader does not read: the write that waits for the reader then fails.
struct WriteWatchdog {
    private let channel: (any Channel)?
    private let secondsMaximum: Double

    init(_ channel: (any Channel)?, secondsMaximum: Double) {
        self.channel = channel
        self.secondsMaximum = secondsMaximum
    }

    func watching(_ write: () async throws -> Void) async throws {
        let alarm = channel.map { channel in
            channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(secondsMaximum * 1e9))) {
                channel.close(promise: nil)
            }
        }
        defer { alarm?.cancel() }
        try await write()
    }
}

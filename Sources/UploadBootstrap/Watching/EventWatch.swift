import Foundation
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

/// Follows the events as the ledger records them, on a terminal also the progress of running jobs. Reconnects when the
/// connection breaks.
struct EventWatch: Sendable {
    /// The longest pause between two tries to connect; the notifier may ask for a shorter one.
    private static let pauseMillisecondsMaximum = 30_000
    /// The time between two counts of the jobs.
    private static let countInterval = Duration.seconds(3)

    let client: NotifierClient
    let choice: EventChoice
    let printsJSON: Bool
    let display: WatchDisplay

    init(client: NotifierClient, choice: EventChoice, printsJSON: Bool) {
        self.client = client
        self.choice = choice
        self.printsJSON = printsJSON
        display = WatchDisplay(isLive: Console.canDraw && !printsJSON)
    }

    private struct ReaderIsGone: Error {}

    /// Runs until the reader of standard output is gone.
    /// - Throws: the error of the first try to connect, or the refusal of a later one. After a broken connection, it
    ///   waits and tries again.
    func run() async throws -> ExitCode {
        guard display.isLive else { return try await follow() }
        defer { display.clear() }
        // The first question comes before anything is drawn, so that an error is shown without bars.
        await count()
        return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
            group.addTask {
                await display.keepDrawing()
                return nil
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.countInterval)) != nil { await count() }
                return nil
            }
            group.addTask { try await follow() }
            defer { group.cancelAll() }
            while let code = try await group.next() {
                if let code { return code }
            }
            return .done
        }
    }

    private func count() async {
        guard choice.job == nil else { return }
        guard let queues = try? await client.ask(.GET, "/v1/queues", as: ListPage<API.Queue>.self).items else {
            return
        }
        display.change { watched, _ in watched.note(queues, of: choice.queue) }
    }

    private func follow() async throws -> ExitCode {
        var parser = EventStreamParser()
        var wasConnected = false
        var isBroken = false
        let query = choice.query + (display.isLive ? [(name: "progress", value: "true")] : [])
        while true {
            do {
                try await client.stream("/v1/events", query, lastID: parser.lastID) { buffer in
                    wasConnected = true
                    if isBroken {
                        display.change { watched, _ in watched.connected() }
                        display.say("uploadctl: the notifier is back; nothing was missed")
                    }
                    isBroken = false
                    for message in try parser.take(buffer.readableBytesView) {
                        guard show(message) else { throw ReaderIsGone() }
                    }
                }
            } catch is ReaderIsGone {
                return .done
            } catch let error as ProgramError where !wasConnected || error.exitCode != .unavailable {
                throw error
            } catch {
                try Task.checkCancellation()
            }
            parser.disconnected()
            if !isBroken {
                display.change { watched, _ in watched.broken() }
                display.say("uploadctl: the connection to the notifier broke; trying again")
            }
            isBroken = true
            let pause = min(max(parser.retryMilliseconds ?? 2000, 100), Self.pauseMillisecondsMaximum)
            try await Task.sleep(for: .milliseconds(pause))
        }
    }

    private func show(_ message: EventStreamParser.Message) -> Bool {
        if printsJSON { return display.output(message.data) }
        let data = Data(message.data.utf8)
        if message.type == "progress" {
            guard let progress = try? WireJSON.decode(API.JobProgress.self, from: data) else { return true }
            display.change { watched, time in watched.apply(progress, at: time) }
            return true
        }
        guard let event = try? WireJSON.decode(API.Event.self, from: data) else { return true }
        display.change { watched, _ in watched.apply(event) }
        return display.output(event.line(LocalTime(), width: Console.outputColumns))
    }
}

import Foundation
import Logging
import UploadClient
import Uploads

/// Downloads objects, one after the other, and shows the progress:
///
///     example-download DIRECTORY NAME:KEY…
///
/// `NAME` is a destination that the workers know and may read from (`source: true`), `KEY` a path below its root.
/// `DIRECTORY` is a directory that the workers write to. `UPLOAD_BROKER` is the broker's URL, `UPLOAD_STAGING` the
/// directory that is shared with the workers, `UPLOAD_NAMESPACE` the prefix of the names on the broker. Stopped and
/// started again, it continues with the unfinished downloads.
@main enum Downloader {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let directory = arguments.first else {
            say("usage: example-download DIRECTORY NAME:KEY…")
            exit(64)
        }
        let environment = ProcessInfo.processInfo.environment
        let manager = try await BrokerUploadManager(
            UploadIdentifier("example-download"),
            broker: BrokerAccess(environment["UPLOAD_BROKER"] ?? "amqp://guest:guest@127.0.0.1:5672/"),
            staging: URL(filePath: environment["UPLOAD_STAGING"] ?? "/tmp/longshore/staging"),
            namespace: environment["UPLOAD_NAMESPACE"] ?? "upload",
            logger: Logger(label: "example-download", factory: { StreamLogHandler.standardError(label: $0) }))

        // All unfinished downloads, also of an earlier run of this program.
        let queue = try await TransferQueue(.standard, manager: manager)
        for session in await queue.sessions where session.state.isEnd { try await queue.remove(session.id) }
        for (account, downloads) in try sessions(arguments.dropFirst(), into: URL(filePath: directory)) {
            _ = try await queue.enqueue(downloads, from: account)
        }
        var (sessions, events) = await queue.follow()
        try await queue.start()
        var iterator = events.makeAsyncIterator()
        // Events of one change carry the same session, so a session that begins to run may have its end in it already:
        // the end is shown later.
        var running = sessions.count { !$0.state.isEnd }
        while running > 0, let event = await iterator.next() {
            event.apply(to: &sessions)
            show(event)
            if [.finished, .failed, .cancelled].contains(event.kind) { running -= 1 }
        }
        await queue.close()
        await manager.close()
        exit(sessions.allSatisfy { $0.state == .finished } ? 0 : 1)
    }

    /// One session for each run of objects at the same destination, in the order in which they were named.
    private static func sessions(
        _ objects: some Sequence<String>, into directory: URL
    ) throws -> [(TransferAccount, [TransferDownload])] {
        var sessions: [(TransferAccount, [TransferDownload])] = []
        for object in objects {
            guard case .named(let name, let key) = try DestinationReference(object) else {
                throw UploadError(.misconfigured, "'\(object)' is not NAME:KEY")
            }
            let file = directory.appending(path: key.split(separator: "/").last.map(String.init) ?? key)
            let download = try TransferDownload(key, to: file.absoluteString)
            if sessions.last?.0.destination == name {
                sessions[sessions.count - 1].1.append(download)
            } else {
                sessions.append((TransferAccount(name), [download]))
            }
        }
        return sessions
    }

    private static func show(_ event: TransferQueueEvent) {
        let session = event.session
        switch event.kind {
        case .didActivate: say("\(session.account): \(session.files.count) files")
        case .progress, .changed:
            say("\(Int(session.fractionDone * 100)) %, \(session.bytesDone) of \(session.bytesTotal) bytes")
        case .finished:
            say("100 %, \(session.bytesDone) of \(session.bytesTotal) bytes")
            for file in session.files { print("\(file.path) \(file.size ?? 0)") }
        case .failed: say("failed: \(session.failure?.message ?? "")")
        default: break
        }
    }

    private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}

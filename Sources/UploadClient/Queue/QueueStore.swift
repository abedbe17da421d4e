import Foundation
import Glibc
import LinuxFiles
import Logging
import UploadSources
import Uploads

/// The files of a transfer queue, in the staging area below `clients/<identifier>/queues/<name>`:
///
/// - `list`: the ``SessionList``, replaced as a whole.
/// - `content`: the queue's own copies of the files, a staging area by itself. They outlive the jobs, so that a session
///   can be run again.
/// - `lock`: held by the one program that has the queue open.
struct QueueStore: Sendable {
    private static let listBytesMaximum = 256 << 20

    private let directory: Directory
    private let content: StagingArea
    private let lock: File

    /// - Throws: `rejected` while another program has the queue open.
    static func open(
        _ name: QueueName, of identifier: UploadIdentifier, in area: StagingArea
    ) async throws(UploadError) -> QueueStore {
        let path = "clients/\(identifier)/queues/\(name)"
        _ = try await area.subdirectory("clients")
        _ = try await area.subdirectory("clients/\(identifier)")
        _ = try await area.subdirectory("clients/\(identifier)/queues")
        let directory = try await area.subdirectory(path)
        let lock = try await run { () throws(SystemError) in
            let file = try directory.open("lock", O_RDWR | O_CREAT, mode: 0o660)
            return try file.tryLock() ? file : nil
        }
        guard let lock else {
            throw UploadError(
                .rejected, "the transfer queue '\(name)' of '\(identifier)' is open already; close it there first")
        }
        let content = try await StagingArea.open(at: area.path + "/" + path + "/content")
        return QueueStore(directory: directory, content: content, lock: lock)
    }

    func load() async throws(UploadError) -> SessionList {
        let bytes = try await Self.run { () throws(SystemError) -> [UInt8]? in
            do throws(SystemError) {
                return try directory.open("list", O_RDONLY | O_NOFOLLOW).read(Self.listBytesMaximum, at: 0)
            } catch {
                if error.number == ENOENT { return nil }
                throw error
            }
        }
        guard let bytes else { return SessionList() }
        do {
            return try WireJSON.decode(SessionList.self, from: Data(bytes))
        } catch {
            throw UploadError(
                .misconfigured,
                "\(directory.path(of: "list")) cannot be read: it is damaged, or of a newer version; update the app",
                cause: error)
        }
    }

    /// Removes the copies that no session of the list names: those of a program that died before it had saved their
    /// session. Only this program has the queue open.
    func tidyUp(besides list: SessionList, _ logger: Logger) async {
        await content.sweepUnfinished(logger)
        // Copies outlive their originals, so a missing list must not remove them: without it, the needed copies are not
        // known.
        guard directory.hasFile(beneath: "list") else { return }
        do throws(UploadError) {
            let needed = list.copies
            for leftover in try await content.leftovers(changedBefore: .distantFuture)
            where leftover.kind == .copy && !needed.contains(leftover.name) {
                // A copy that cannot be removed does not keep the others.
                _ = try? await content.discard(leftover)
            }
        } catch {
            logger.warning("copies that no session needs cannot be removed", metadata: ["error": "\(error.message)"])
        }
    }

    /// Replaces the list on disk; durable when this returns.
    func save(_ list: SessionList) async throws(UploadError) {
        // Encoding never fails, because a list has only values that JSON can express.
        let bytes = (try? WireJSON.encode(list)).map { Array($0) } ?? []
        try await Self.run { () throws(SystemError) in
            try directory.replace("list", with: bytes)
            try directory.synchronize()
        }
    }

    /// Copies a file's content, unless the content is an object at a destination.
    func keep(
        _ file: TransferFile, for account: TransferAccount, of client: UploadIdentifier
    ) async throws(UploadError) -> TransferSession.File {
        if case .object(let object) = file.content {
            return TransferSession.File(
                path: file.path, object: object, contentType: file.contentType, info: file.info)
        }
        let destination = DestinationReference.named(account.destination, key: file.path)
        let upload = Upload(file.content, to: destination, contentType: file.contentType, info: file.info)
        let job = try await Preparation(copies: content, area: content, client: client, namespace: "").job(for: upload)
        let name: String
        switch job.source {
        case .staged(_, let staged): name = staged
        case .inline(let data):
            let staged = try await content.stage(DataBuffers(data: data))
            guard case .staged(_, let copy) = staged.reference else {
                throw UploadError(.unknown, "a copy was staged without a name")
            }
            name = copy
            try await content.synchronize()
        case .file, .object: throw UploadError(.unknown, "\(file.path) was not copied")
        }
        return TransferSession.File(
            path: file.path, size: job.size, contentType: job.contentType, info: file.info, content: name)
    }

    /// The path of the queue's own copy.
    func path(of file: TransferSession.File) -> String? { file.content.map { content.path + "/" + $0 } }

    /// Removes the copies of a session's files, as far as they exist.
    func discard(_ files: [TransferSession.File]) async {
        for name in files.compactMap(\.content) { try? await content.remove(.staged(area: content.id, name: name)) }
    }

    func close() { lock.unlock() }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SystemError) -> Value
    ) async throws(UploadError) -> Value {
        try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) { return try body() } catch { throw UploadError(staging: error) }
        }
    }
}

import Foundation
import Glibc
import LinuxFiles
import UploadClient
import UploadSources
import Uploads

/// The files of a local queue, below `embedded/<identifier>` of the staging area. All calls block.
///
/// - `queue/<job>.json`: a ``LocalJob``. Created by the process that accepts the upload; from then on written only by
///   the process that runs the queue.
/// - `orders/<time>.<uuid>.json`: a ``LocalOrder``, removed when it is applied.
/// - `runner`: locked by the process that runs the queue. The lock ends with the process, however that ends.
///
/// All writes of a method are durable when it returns.
struct LocalQueueFiles: Sendable {
    private static let suffix = ".json"
    private static let recordBytesMaximum = 4 << 20

    private let root: Directory
    private let queue: Directory
    private let orders: Directory

    static func open(_ identifier: UploadIdentifier, in area: StagingArea) async throws(UploadError) -> LocalQueueFiles
    {
        let path = "embedded/\(identifier)"
        _ = try await area.subdirectory("embedded")
        return LocalQueueFiles(
            root: try await area.subdirectory(path), queue: try await area.subdirectory(path + "/queue"),
            orders: try await area.subdirectory(path + "/orders"))
    }

    /// - Returns: nil when another process runs the queue.
    func tryLock() throws(UploadError) -> File? {
        try staging { () throws(SystemError) in
            let file = try root.open("runner", O_RDWR | O_CREAT, mode: 0o660)
            return try file.tryLock() ? file : nil
        }
    }

    // MARK: Jobs

    /// The ids of all uploads, readable or not.
    func ids() throws(UploadError) -> [JobID] {
        try names(in: queue).compactMap { JobID(String($0.dropLast(Self.suffix.count))) }
    }

    /// Whether the upload exists, readable or not.
    func holds(_ id: JobID) throws(UploadError) -> Bool {
        try staging { () throws(SystemError) in try queue.status(of: id.rawValue + Self.suffix) != nil }
    }

    /// - Returns: nil when the upload does not exist.
    /// - Throws: `invalidFile` for a file that this version cannot read.
    func job(_ id: JobID) throws(UploadError) -> LocalJob? { try read(id.rawValue + Self.suffix, in: queue) }

    /// - Returns: false when the upload exists already; then nothing was written.
    func create(_ job: LocalJob) throws(UploadError) -> Bool {
        let body = try Self.encode(job)
        return try staging { () throws(SystemError) in
            let isNew = try queue.create(job.id.rawValue + Self.suffix, with: body)
            try queue.synchronize()
            return isNew
        }
    }

    func replace(_ job: LocalJob) throws(UploadError) {
        let body = try Self.encode(job)
        try staging { () throws(SystemError) in
            try queue.replace(job.id.rawValue + Self.suffix, with: body)
            try queue.synchronize()
        }
    }

    func remove(_ id: JobID) throws(UploadError) {
        try staging { () throws(SystemError) in
            try queue.remove(id.rawValue + Self.suffix)
            try queue.synchronize()
        }
    }

    // MARK: Orders

    func add(_ order: LocalOrder) throws(UploadError) {
        let body = try Self.encode(order)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let stamp = String(UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
        let name = "\(stamp).\(UUID().uuidString.lowercased())\(Self.suffix)"
        try staging { () throws(SystemError) in
            _ = try orders.create(name, with: body)
            try orders.synchronize()
        }
    }

    /// In the order in which the orders were given.
    func orderNames() throws(UploadError) -> [String] { try names(in: orders).sorted() }

    /// - Returns: nil when the order is applied already, or cannot be read.
    func order(_ name: String) -> LocalOrder? { try? read(name, in: orders) }

    func removeOrder(_ name: String) throws(UploadError) {
        try staging { () throws(SystemError) in
            try orders.remove(name)
            try orders.synchronize()
        }
    }

    /// The upload in the state that it will have when all given orders are applied.
    func prospect(of id: JobID, at now: Date) throws(UploadError) -> LocalJob? {
        // The orders first: if the queue applies one in between, it is in the job already, and applying it again
        // changes nothing.
        let pending = try orderNames().compactMap { order($0) }.filter { $0.job == id }
        guard var job = try job(id) else { return nil }
        for order in pending { _ = job.obey(order, hasBegun: job.isClaimed, at: now) }
        return job
    }

    // MARK: Reading and writing

    private func names(in directory: Directory) throws(UploadError) -> [String] {
        try staging { () throws(SystemError) in
            var names: [String] = []
            try directory.forEachEntry { name, _ in
                // A file that is still being written begins with a dot.
                if !name.hasPrefix("."), name.hasSuffix(Self.suffix) { names.append(name) }
                return true
            }
            return names
        }
    }

    private func read<Value: Decodable>(_ name: String, in directory: Directory) throws(UploadError) -> Value? {
        let body = try staging { () throws(SystemError) -> [UInt8]? in
            do throws(SystemError) {
                return try directory.open(name, O_RDONLY | O_NOFOLLOW).read(Self.recordBytesMaximum, at: 0)
            } catch {
                if error.number == ENOENT { return nil }
                throw error
            }
        }
        guard let body else { return nil }
        do {
            return try WireJSON.decode(Value.self, from: Data(body))
        } catch {
            throw UploadError(
                .invalidFile,
                "\(directory.path(of: name)) cannot be read: use the version of the program that wrote it, or remove it",
                cause: error)
        }
    }

    private static func encode(_ value: some Encodable) throws(UploadError) -> [UInt8] {
        do { return Array(try WireJSON.encode(value)) } catch {
            throw UploadError(.unknown, "an upload cannot be written down", cause: error)
        }
    }

    private func staging<Value>(_ body: () throws(SystemError) -> Value) throws(UploadError) -> Value {
        do throws(SystemError) { return try body() } catch { throw UploadError(staging: error) }
    }
}

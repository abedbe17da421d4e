import Foundation
import Glibc
import LinuxFiles
package import UploadSources
package import Uploads

/// The shared records of one identifier's programs about its uploads: small files in the staging area, below
/// `clients/<identifier>`.
///
/// - `starting/<job>`: an upload that is about to be accepted. The file moves to `open` after the acceptance; if its
///   program died before, it is not known whether the upload was accepted.
/// - `open/<job>`: an upload that was accepted and whose round has no outcome yet.
/// - `ended/<job>.<round>`: an outcome that is not delivered yet. Locked by the program that is delivering it.
/// - `told/<job>.<round>.ended`: an outcome that was delivered; kept for 30 days, so that a repeat is recognized.
/// - `programs/<token>`: locked by a program that runs.
///
/// All writes of a method are durable when it returns.
package struct ClientStore: Sendable {
    /// Seconds for which delivered outcomes are remembered, and for which outcomes that no delegate takes are kept: 30
    /// days.
    static let memory: TimeInterval = 30 * 86_400
    /// Seconds after which an unfinished record file belongs to a dead program: a day.
    static let unfinishedMemory: TimeInterval = 86_400
    private static let recordBytesMaximum = 1 << 20

    let starting: Directory
    let open: Directory
    let ended: Directory
    let told: Directory
    let programs: Directory

    package static func open(_ identifier: UploadIdentifier, in area: StagingArea) async throws(UploadError)
        -> ClientStore
    {
        let path = "clients/\(identifier)"
        _ = try await area.subdirectory("clients")
        _ = try await area.subdirectory(path)
        return ClientStore(
            starting: try await area.subdirectory(path + "/starting"),
            open: try await area.subdirectory(path + "/open"), ended: try await area.subdirectory(path + "/ended"),
            told: try await area.subdirectory(path + "/told"), programs: try await area.subdirectory(path + "/programs")
        )
    }

    // MARK: Open

    /// Records an accepted upload whose outcome is awaited, in place of its earlier record.
    func put(_ upload: ClientUpload) async throws(UploadError) {
        try await run { () throws(SystemError) in
            try open.replace(upload.id.rawValue, with: Self.encode(upload))
            try open.synchronize()
        }
    }

    func remove(_ id: JobID) async throws(UploadError) {
        try await run { () throws(SystemError) in try removeOpen(id) }
    }

    func upload(_ id: JobID) async throws(UploadError) -> ClientUpload? {
        try await run { () throws(SystemError) in try known(id) }
    }

    /// In this order, because a record may move from `starting` to `open` in between.
    private func known(_ id: JobID) throws(SystemError) -> ClientUpload? {
        if let upload = try Self.read(id.rawValue, in: starting) { return upload }
        return try Self.read(id.rawValue, in: open)
    }

    /// The ids of all uploads whose outcome is awaited.
    func openIDs() async throws(UploadError) -> Set<JobID> {
        try await run { () throws(SystemError) in
            var ids: Set<JobID> = []
            for directory in [starting, open] {
                try directory.forEachEntry { name, _ in
                    if let id = JobID(name) { ids.insert(id) }
                    return true
                }
            }
            return ids
        }
    }

    /// All unfinished uploads, oldest first.
    func uploads() async throws(UploadError) -> [ClientUpload] {
        try await run { () throws(SystemError) in
            let starting = try Self.all(in: starting)
            let ids = Set(starting.map(\.id))
            let accepted = try Self.all(in: open)
            return (starting + accepted.filter { !ids.contains($0.id) }).sorted { $0.id < $1.id }
        }
    }

    // MARK: Ended

    /// Records an outcome.
    /// - Returns: the record to deliver now; nil for an outcome that was recorded or delivered before, or belongs to an
    ///   earlier round.
    func end(with event: UploadEvent) async throws(UploadError) -> ClientUpload? {
        try await run { () throws(SystemError) in
            let outcome = event.asOutcome
            let round = event.data.baton.round
            let known = try known(event.job.id)
            if try told.status(of: outcome.id) != nil {
                if let known, known.round <= round { try removeOpen(event.job.id) }
                return nil
            }
            if let known, round < known.round { return nil }
            // The records were lost, or no living program started the upload: any program with a delegate delivers it.
            var upload = known ?? ClientUpload(job: event.job, startedBy: "")
            upload.round = round
            upload.end = outcome
            var isNew = try ended.create(Self.name(of: upload), with: Self.encode(upload))
            // Another program may have recorded and delivered the outcome since the check above. It writes to `told`
            // before it removes from `ended`.
            if isNew, try told.status(of: outcome.id) != nil {
                try ended.remove(Self.name(of: upload))
                isNew = false
            }
            try ended.synchronize()
            try removeOpen(event.job.id)
            return isNew ? upload : nil
        }
    }

    /// In this order, because a record may move from `starting` to `open` in between.
    private func removeOpen(_ id: JobID) throws(SystemError) {
        for directory in [starting, open] where try directory.status(of: id.rawValue) != nil {
            try directory.remove(id.rawValue)
            try directory.synchronize()
        }
    }

    /// The outcomes that are not delivered yet, by upload and round.
    func untold() async throws(UploadError) -> [ClientUpload] {
        try await run { () throws(SystemError) in try Self.all(in: ended) }
    }

    /// The last outcome of an upload, delivered or not, of this round or a later one.
    func outcome(of id: JobID, from round: Int = 1) async throws(UploadError) -> ClientUpload? {
        try await run { () throws(SystemError) in
            var last: ClientUpload?
            for directory in [ended, told] {
                var names: [String] = []
                try directory.forEachEntry { name, _ in
                    if name.hasPrefix(id.rawValue) { names.append(name) }
                    return true
                }
                for name in names {
                    guard let upload = try Self.read(name, in: directory), upload.round >= round else { continue }
                    if last.map({ $0.round < upload.round }) ?? true { last = upload }
                }
            }
            return last
        }
    }

    /// Claims an outcome, so that no other program delivers it.
    /// - Returns: nil when another program has claimed it, or it is delivered.
    func claim(_ upload: ClientUpload) async throws(UploadError) -> File? {
        try await run { () throws(SystemError) in
            let name = Self.name(of: upload)
            let file: File
            do throws(SystemError) {
                file = try ended.open(name, O_RDONLY | O_NOFOLLOW)
            } catch {
                if error.number == ENOENT { return nil }
                throw error
            }
            guard try file.tryLock(), let named = try ended.status(of: name),
                named.isSameFile(as: try file.status())
            else { return nil }
            // The program that delivered it died before it removed this file.
            guard try told.status(of: Self.told(upload)) == nil else {
                try ended.remove(name)
                return nil
            }
            return file
        }
    }

    /// Records the outcome as delivered; it is not delivered again.
    func finish(_ upload: ClientUpload) async throws(UploadError) {
        try await run { () throws(SystemError) in
            _ = try told.create(Self.told(upload), with: Self.encode(upload))
            try told.synchronize()
            try ended.remove(Self.name(of: upload))
            try ended.synchronize()
        }
    }

    /// Removes outcomes that were delivered long ago, outcomes that no delegate took for as long, and the unfinished
    /// files of dead programs.
    func prune(now: Date) async throws(UploadError) {
        try await run { () throws(SystemError) in
            for directory in [told, ended] {
                var old: [String] = []
                try directory.forEachEntry { name, _ throws(SystemError) in
                    if let status = try directory.status(of: name),
                        status.modifiedAt < now.addingTimeInterval(-Self.memory)
                    {
                        old.append(name)
                    }
                    return true
                }
                for name in old { try directory.remove(name) }
            }
            for directory in [starting, open, ended, told] {
                var unfinished: [String] = []
                try directory.forEachEntry { name, _ throws(SystemError) in
                    if name.hasPrefix("."), name.hasSuffix(".partial"), let status = try directory.status(of: name),
                        status.modifiedAt < now.addingTimeInterval(-Self.unfinishedMemory)
                    {
                        unfinished.append(name)
                    }
                    return true
                }
                for name in unfinished { try directory.remove(name) }
            }
        }
    }

    // MARK: Files

    static func name(of upload: ClientUpload) -> String { "\(upload.id).\(upload.round)" }

    static func told(_ upload: ClientUpload) -> String { "\(upload.id).\(upload.round).ended" }

    static func encode(_ upload: ClientUpload) -> [UInt8] {
        // A record has no value that fails to be encoded.
        (try? WireJSON.encode(upload)).map { Array($0) } ?? []
    }

    /// - Returns: nil when there is no record, or a newer version wrote it and this one cannot read it.
    static func read(_ name: String, in directory: Directory) throws(SystemError) -> ClientUpload? {
        do throws(SystemError) {
            let body = try directory.open(name, O_RDONLY | O_NOFOLLOW).read(recordBytesMaximum, at: 0)
            return try? WireJSON.decode(ClientUpload.self, from: Data(body))
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    static func all(in directory: Directory) throws(SystemError) -> [ClientUpload] {
        var names: [String] = []
        try directory.forEachEntry { name, _ in
            if !name.hasPrefix(".") { names.append(name) }
            return true
        }
        var uploads: [ClientUpload] = []
        for name in names {
            if let upload = try read(name, in: directory) { uploads.append(upload) }
        }
        return uploads.sorted { ($0.id, $0.round) < ($1.id, $1.round) }
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SystemError) -> Value
    ) async throws(UploadError) -> Value {
        try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) { return try body() } catch { throw UploadError(staging: error) }
        }
    }
}

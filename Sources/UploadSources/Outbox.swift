import Foundation
import Glibc
package import LinuxFiles
public import Uploads

/// Jobs that were accepted while the broker was away, each in a file of the staging area: whoever next reaches the broker
/// publishes them.
///
/// A job's file is `<id>.json` in the directory `outbox`, its body what the message will hold, mode 0640. Several programs may
/// publish at once: the one that has a file's lock does, and a lock goes with the process that held it. A job that was published
/// and whose file was not removed is published again, so every publication from here may be a repeat.
///
/// A file that holds no job is renamed to `<name>.corrupt` and stays for people to look at. One that cannot be opened or read is
/// renamed to `<id>.json.unreadable`. Each pass tries that one again, and publishes it once it can be read.
public struct Outbox: Sendable {
    /// The directory's name below the staging area.
    public static let name = "outbox"
    /// Names that are in memory at once: a pass goes through as many pages as there are.
    static let pageCountMaximum = 10_000
    /// Files that are written at once.
    static let writesAtOnce = 8
    package static let suffix = ".json"
    static let corruptSuffix = ".corrupt"
    static let unreadableSuffix = ".unreadable"

    let directory: Directory
    /// Makes the directory's entries durable, unless a test has it fail.
    var flush: @Sendable (Directory) throws(SystemError) -> Void = { directory throws(SystemError) in
        try directory.synchronize()
    }

    /// The directory.
    public var path: String { directory.path }

    /// The outbox of the staging area at this path.
    /// - Returns: nil when there is none: nothing was ever kept there.
    /// - Throws: `misconfigured` when it may not be read.
    public static func open(inAreaAt path: String) async throws(UploadError) -> Outbox? {
        try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) {
                return Outbox(directory: try Directory.open(path).openDirectory(beneath: name))
            } catch {
                if error.number == ENOENT { return nil }
                throw UploadError(staging: error)
            }
        }
    }

    /// What became of a job that was to be kept.
    public enum Keeping: Sendable {
        /// It is durable.
        case kept
        /// There is no file of it.
        indirect case refused(UploadError)
        /// Its file is there, and may be lost if the machine stops. As long as it is there it is published like any other.
        indirect case unknown(UploadError)
    }

    /// Keeps jobs. Those that `load` or the disk refuse are not kept.
    /// - Parameter load: makes the job at an index, as it is published.
    /// - Returns: what became of each, by index.
    public func keep(
        count: Int, load: @escaping @Sendable (Int) throws(UploadError) -> UploadJob
    ) async -> [Keeping] {
        var keepings = [Keeping](repeating: .kept, count: count)
        await withTaskGroup(of: (Int, UploadError?).self) { group in
            var next = 0
            func startNext() {
                guard next < count else { return }
                let index = next
                next += 1
                group.addTask {
                    do throws(UploadError) {
                        let job = try load(index)
                        try await Blocking.run { () throws(UploadError) in try write(job) }
                        return (index, nil)
                    } catch {
                        return (index, error)
                    }
                }
            }
            for _ in 0..<Self.writesAtOnce { startNext() }
            while let (index, failure) = await group.next() {
                if let failure { keepings[index] = .refused(failure) }
                startNext()
            }
        }
        do throws(UploadError) {
            try await synchronize()
        } catch {
            // Another program may publish the files already, so they are not taken back.
            let problem = error
            return keepings.map { if case .kept = $0 { .unknown(problem) } else { $0 } }
        }
        return keepings
    }

    /// Makes what was kept and removed durable.
    func synchronize() async throws(UploadError) {
        try await Blocking.run { [directory, flush] () throws(UploadError) in
            do throws(SystemError) { try flush(directory) } catch { throw UploadError(staging: error) }
        }
    }

    private func write(_ job: UploadJob) throws(UploadError) {
        let body: Data
        do {
            body = try WireJSON.encode(job)
        } catch {
            throw UploadError(.unknown, "the job \(job.id) cannot be written as JSON", cause: error)
        }
        try job.check(bodyBytes: body.count)
        do throws(SystemError) {
            try directory.replace(job.id.rawValue + Self.suffix, with: Array(body))
        } catch {
            throw UploadError(staging: error)
        }
    }
}

extension StagingArea {
    /// The area's outbox; its directory is created when it is missing.
    public func outbox() async throws(UploadError) -> Outbox {
        Outbox(directory: try await subdirectory(Outbox.name))
    }

    /// A directory of the area's group below it.
    package func subdirectory(_ name: String) async throws(UploadError) -> Directory {
        try await Blocking.run { [directory] () throws(UploadError) in
            do throws(SystemError) {
                if try directory.status(of: name) == nil {
                    try directory.makeDirectory(name, mode: 0o2770)
                    let made = try directory.openDirectory(beneath: name)
                    // Whatever the umask says, the group must be able to write; another user may have made it meanwhile.
                    do throws(SystemError) {
                        try made.setMode(0o2770)
                    } catch {
                        if error.number != EPERM { throw error }
                    }
                    try directory.synchronize()
                    return made
                }
                return try directory.openDirectory(beneath: name)
            } catch {
                throw UploadError(staging: error)
            }
        }
    }
}

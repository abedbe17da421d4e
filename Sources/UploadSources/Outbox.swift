import Foundation
import Glibc
package import LinuxFiles
public import Uploads

/// Jobs that a producer accepted while the broker was away, each in a file of the staging area: the next program that reaches the
/// broker publishes them.
///
/// A job's file is `<id>.json` in the directory `outbox`, with the body of the later message, mode 0640. Several programs may
/// publish at once: the one that holds a file's lock publishes its job, and a lock ends with the process that held it. A job that was
/// published and whose file was not removed is published again, so every publication from here may be a repeat.
///
/// A file that holds no job is renamed to `<name>.corrupt` and stays for the operator to look at. A file that cannot be opened or read
/// is renamed to `<id>.json.unreadable`. Each pass tries such a file again, and publishes its job once it can be read.
public struct Outbox: Sendable {
    /// The directory's name below the staging area.
    public static let name = "outbox"
    /// Names that are in memory at once, as one page: a pass goes through all pages.
    static let pageCountMaximum = 10_000
    /// Files that are written at once.
    static let writesAtOnce = 8
    package static let suffix = ".json"
    static let corruptSuffix = ".corrupt"
    static let unreadableSuffix = ".unreadable"

    let directory: Directory
    /// Makes the directory's entries durable; a test may replace it to let it fail.
    var flush: @Sendable (Directory) throws(SystemError) -> Void = { directory throws(SystemError) in
        try directory.synchronize()
    }

    /// The path of the outbox's directory.
    public var path: String { directory.path }

    /// The outbox of the staging area at this path.
    /// - Returns: nil when the area has no outbox: no job was ever kept there.
    /// - Throws: `misconfigured` when the outbox may not be read.
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

    /// The result of keeping a job.
    public enum Keeping: Sendable {
        /// The job is durable.
        case kept
        /// No file of the job exists.
        indirect case refused(UploadError)
        /// The job's file exists, and may be lost if the machine stops. As long as it exists the job is published like any other.
        indirect case unknown(UploadError)
    }

    /// Keeps jobs, except those for which `load` or the disk fails.
    /// - Parameter load: makes the job at an index, in the form in which it is published.
    /// - Returns: the result for each job, by index.
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

    /// Makes all kept and removed files durable.
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
                    // The group must be able to write, whatever the umask is. EPERM: another user made the directory meanwhile.
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

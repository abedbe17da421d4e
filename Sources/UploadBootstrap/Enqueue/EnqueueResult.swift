import UploadClient
import Uploads

/// The results of all jobs of a command, and the texts that report them.
struct EnqueueResult {
    /// The most paths that one line names.
    private static let namesMaximum = 5

    /// The number of jobs that the broker confirmed or the outbox keeps.
    private(set) var enqueuedCount = 0
    /// Jobs without a confirm, which may have arrived at the broker.
    private(set) var unknown: [(index: Int, error: UploadError)] = []
    /// Jobs that have not arrived and would be refused again unchanged.
    private(set) var refused: [(index: Int, error: UploadError)] = []
    private(set) var untried: [Int] = []
    /// Jobs that the broker has, and that fail because their copies could not be completed.
    private(set) var incomplete: [(index: Int, error: UploadError)] = []
    private let count: Int

    init(_ fates: [Publication.Fate]) {
        count = fates.count
        for (index, fate) in fates.enumerated() {
            switch fate {
            case .confirmed, .kept: enqueuedCount += 1
            case .incomplete(let error): incomplete.append((index, error))
            case .unknown(let error): unknown.append((index, error))
            case .refused(let error): refused.append((index, error))
            case .untried: untried.append(index)
            }
        }
    }

    /// The jobs that the broker does not have: no worker needs their staged copies.
    var absent: [Int] { (refused.map(\.index) + untried).sorted() }

    /// The error that lists the jobs that were enqueued and those that were not, with a remedy for each.
    /// - Parameter path: returns the path of the upload at an index.
    func problem(path: (Int) -> String) -> ProgramError {
        let first = (refused + incomplete + unknown).min { $0.index < $1.index }?.error
        var problems = (refused + incomplete).prefix(Self.namesMaximum).map {
            "\(path($0.index)): \(ProgramError($0.error))"
        }
        if problems.isEmpty { problems.append(first.map { ProgramError($0).description } ?? "interrupted") }
        switch enqueuedCount {
        case 0: if unknown.isEmpty, incomplete.isEmpty { problems.append("nothing was enqueued") }
        case 1: problems.append("1 of \(count) was enqueued, its id is on standard output")
        default: problems.append("\(enqueuedCount) of \(count) were enqueued, their ids are on standard output")
        }
        if !refused.isEmpty {
            problems.append(
                "\(refused.count) cannot be enqueued as they are: \(names(refused.map(\.index), path)); correct these")
        }
        if !incomplete.isEmpty {
            problems.append(
                """
                \(incomplete.count) could not be copied to the end: \(names(incomplete.map(\.index), path)); \
                what was begun of it is removed, and its job fails; enqueue it again
                """)
        }
        if let next = untried.first {
            problems.append(
                untried.count == 1
                    ? "1 was not tried: \(path(next)); enqueue it again"
                    : "\(untried.count) were not tried, from \(path(next)) on; enqueue these again")
        }
        if !unknown.isEmpty {
            problems.append(
                """
                \(unknown.count) may have been enqueued (the broker has not confirmed them): \(names(unknown.map(\.index), path)); \
                their copies are kept; check whether they arrive before you enqueue them again
                """)
        }
        return ProgramError(first.map { ProgramError($0).exitCode } ?? .interrupted, problems: problems)
    }

    private func names(_ indices: [Int], _ path: (Int) -> String) -> String {
        indices.prefix(Self.namesMaximum).map(path).joined(separator: ", ")
            + (indices.count > Self.namesMaximum ? ", …" : "")
    }
}

/// A job in JSON output.
struct EnqueuedListing: Encodable {
    let id: JobID
    /// The path as the user named it; a path that is not UTF-8 in its printable form (``FilePath``).
    let source: String
    /// The destination, without the query of a URL.
    let destination: String
    /// Bytes.
    let size: Int64
    /// With `--wait`, the event that ended the upload; left out while there is none.
    let event: UploadEvent?

    init(_ upload: PlannedUpload, id: JobID, size: Int64, event: UploadEvent? = nil) {
        self.id = id
        source = upload.path.description
        destination = upload.destination.displayText
        self.size = size
        self.event = event
    }

    var text: String { (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
}

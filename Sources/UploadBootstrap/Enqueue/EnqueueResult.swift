import UploadClient
import Uploads

/// What became of all jobs of a command, and how the command says so.
struct EnqueueResult {
    /// Paths that are named in one line at most.
    private static let namesMaximum = 5

    /// Confirmed, or kept in the outbox.
    private(set) var enqueuedCount = 0
    /// They may have arrived.
    private(set) var unknown: [(index: Int, error: UploadError)] = []
    /// They have not arrived, and will not as they are.
    private(set) var refused: [(index: Int, error: UploadError)] = []
    private(set) var untried: [Int] = []
    private let count: Int

    init(_ fates: [Publication.Fate]) {
        count = fates.count
        for (index, fate) in fates.enumerated() {
            switch fate {
            case .confirmed, .kept: enqueuedCount += 1
            case .unknown(let error): unknown.append((index, error))
            case .refused(let error): refused.append((index, error))
            case .untried: untried.append(index)
            }
        }
    }

    /// Those of which the broker has nothing: no worker needs their staged copies.
    var absent: [Int] { (refused.map(\.index) + untried).sorted() }

    /// What was enqueued and what was not, each with what to do about it.
    /// - Parameter path: of the upload at an index, for people.
    func problem(path: (Int) -> String) -> ProgramError {
        let first = (refused + unknown).min { $0.index < $1.index }?.error
        var problems = refused.prefix(Self.namesMaximum).map { "\(path($0.index)): \(ProgramError($0.error))" }
        if refused.isEmpty { problems.append(first.map { ProgramError($0).description } ?? "interrupted") }
        switch enqueuedCount {
        case 0: if unknown.isEmpty { problems.append("nothing was enqueued") }
        case 1: problems.append("1 of \(count) was enqueued, its id is on standard output")
        default: problems.append("\(enqueuedCount) of \(count) were enqueued, their ids are on standard output")
        }
        if !refused.isEmpty {
            problems.append(
                "\(refused.count) cannot be, as they are: \(names(refused.map(\.index), path)); mend that first")
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
                of \(unknown.count) it is not known (the broker has not confirmed them): \(names(unknown.map(\.index), path)); \
                their copies are kept, look whether they arrive before enqueueing them again
                """)
        }
        return ProgramError(first.map { ProgramError($0).exitCode } ?? .interrupted, problems: problems)
    }

    private func names(_ indices: [Int], _ path: (Int) -> String) -> String {
        indices.prefix(Self.namesMaximum).map(path).joined(separator: ", ")
            + (indices.count > Self.namesMaximum ? ", …" : "")
    }
}

/// A job as `--json` shows it: one object a line.
struct EnqueuedListing: Encodable {
    let id: JobID
    /// The path, as the user named it; where it is not UTF-8, its text (``FilePath``).
    let source: String
    /// Without the query of a URL.
    let destination: String
    /// Bytes.
    let size: Int64
    /// With `--wait`, how it ended; left out while it is not known.
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

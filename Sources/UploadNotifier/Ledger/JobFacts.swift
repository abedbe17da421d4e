import Foundation
import Uploads

/// The facts of a job that have columns of their own, for rows from before these columns.
struct JobFacts: Hashable {
    var code: String?
    var client: String?
    var keepsPause = false

    init() {}

    /// - Parameter record: a row that cannot be read has no facts but that it failed.
    init(record: Data, status: String) {
        let isFailed = status == LedgerStatus.failed.rawValue
        if isFailed { code = UploadError.Code.unknown.description }
        // Most jobs have none of the facts, and decoding a record takes longer than looking for the names of the fields.
        guard let json = try? RowText.json(record),
            isFailed || Self.names.contains(where: { json.range(of: $0) != nil }),
            let known = try? WireJSON.decode(Record.self, from: json)
        else { return }
        client = known.baton.job.client
        keepsPause = known.pausedThrough.map { $0 >= known.baton.generation } ?? false
        if isFailed, let name = known.end?.error?.code { code = UploadError.Code(named: name).description }
    }

    private static let names = [#""client""#, #""pausedThrough""#].map { Data($0.utf8) }

    private struct Record: Decodable {
        struct Baton: Decodable {
            struct Job: Decodable { var client: String? }

            var job: Job
            var generation: Int
        }

        struct End: Decodable {
            struct Failure: Decodable { var code: String }

            var error: Failure?
        }

        var baton: Baton
        var pausedThrough: Int?
        var end: End?
    }
}

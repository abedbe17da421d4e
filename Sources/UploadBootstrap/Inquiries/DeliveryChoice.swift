public import ArgumentParser
import Foundation
import Uploads

/// Which deliveries `uploadctl delivery list` shows.
public struct DeliveryChoice: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Deliveries to this delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var delegate: String?

    @Option(
        help: ArgumentHelp("waiting, delivered or failed.", valueName: "status"),
        completion: .list(DeliveryRecord.Status.allCases.map(\.rawValue)))
    var status: String?

    @Option(help: ArgumentHelp("Deliveries of this job.", valueName: "id"), completion: NameCompletion.jobs)
    var job: String?

    @Option(help: ArgumentHelp("The most deliveries to list.", valueName: "n"))
    var limit = 50

    public init() {}

    public func validate() throws {
        guard (1...Inquiry.rowsMaximum).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to \(Inquiry.rowsMaximum)")
        }
        if let job, JobID(job) == nil {
            throw ValidationError("--job: '\(job.prefix(80))' is no job id: give one that enqueue-upload printed")
        }
        let known = DeliveryRecord.Status.allCases.map(\.rawValue)
        if let status, !known.contains(status) {
            throw ValidationError(
                "--status: '\(status.prefix(80))' is not a status; choose from \(known.joined(separator: ", "))")
        }
    }

    /// The parameters of the API's query.
    var query: [(name: String, value: String)] {
        [("delegate", delegate), ("status", status), ("job", job)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
    }
}

import Synchronization
import Uploads

/// Reads the finished object back and compares it with the source.
extension SliceRun {
    static func readBackProblem(of job: UploadJob, at destination: any Destination) -> UploadError? {
        guard let readable = destination as? any ReadableDestination else {
            return UploadError(
                .rejected,
                "\(job.destination.displayText) cannot be read back: its driver '\(destination.driver)' only writes; enqueue the "
                    + "file without --verify")
        }
        return readable.readBackProblem(of: job)
    }

    func readBack(_ begin: ReadBack) async -> SliceFact {
        let (destination, source, pace) = open.withLock { ($0.destination, $0.source, $0.pace) }
        guard let readable = destination as? any ReadableDestination else {
            return .failed(UploadError(.rejected, "the destination cannot be read back: enqueue without --verify"))
        }
        guard await takeTurn() else { return .failed(Self.withdrawn) }
        let comparison = ReadBackComparison(job: baton.job, source: source, begin: begin) { [weak self] reached in
            self?.tell(.readBackReached(reached))
        }
        do throws(UploadError) {
            try await comparison.run(at: readable, pace: pace)
            return .readBackMatched
        } catch {
            return .failed(error)
        }
    }
}

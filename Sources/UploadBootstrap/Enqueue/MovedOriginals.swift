import Synchronization
import UploadSources
import Uploads

/// The files of `--move`, each of which is removed once its job is accepted: confirmed by the broker, or kept in the outbox.
final class MovedOriginals: Sendable {
    /// The most files that the error names.
    private static let namesMaximum = 5

    private struct Original {
        let identity: FileIdentity
        let size: Int64
    }

    private let plan: EnqueuePlan
    private let read = Mutex<[Int: Original]>([:])
    private let accepted: AsyncStream<Int>
    private let acceptance: AsyncStream<Int>.Continuation

    init(plan: EnqueuePlan) {
        self.plan = plan
        (accepted, acceptance) = AsyncStream.makeStream(of: Int.self)
    }

    /// Notes what the bytes of a job were taken of, before the job is published.
    func note(_ loaded: JobMaker.Loaded, at index: Int) {
        guard plan.request.moves, let identity = loaded.original else { return }
        read.withLock { $0[index] = Original(identity: identity, size: loaded.job.size) }
    }

    func accept(_ index: Int) { if plan.request.moves { acceptance.yield(index) } }

    /// No further job will be accepted.
    func finish() { acceptance.finish() }

    /// Removes files until ``finish()`` was called.
    /// - Returns: the error that names those that stay.
    func remove() async -> ProgramError? {
        var count = 0
        var problems: [UploadError] = []
        for await index in accepted {
            guard let original = read.withLock({ $0.removeValue(forKey: index) }) else { continue }
            do throws(UploadError) {
                try await MovedOriginal.remove(
                    plan.upload(at: index).path, if: original.identity, of: original.size)
            } catch {
                count += 1
                if problems.count < Self.namesMaximum { problems.append(error) }
            }
        }
        guard let first = problems.first else { return nil }
        var texts = problems.map(\.message)
        if count > texts.count { texts.append("\(count - texts.count) more files stay") }
        return ProgramError(ProgramError(first).exitCode, problems: texts)
    }
}

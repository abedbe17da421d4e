import Foundation
import Uploads

/// Tries a destination as a worker would use it, step by step. It leaves no object behind unless ``writes`` is set.
struct DestinationTrial: Sendable {
    typealias Tell = @Sendable (TrialStep) -> Void

    /// The declared size in bytes of the upload that the trial begins and never completes: more than one part with nearly every driver.
    private static let size: Int64 = 64 << 20
    /// The size in bytes of the file that stays.
    private static let fileSize: Int64 = 1 << 10

    let destination: any Destination
    let reference: DestinationReference
    /// Whether the trial writes a small file under the key of ``reference``, which stays there.
    var writes = false
    /// Receives each finding of a survey, if the destination supports surveys.
    var tellFinding: @Sendable (SurveyFinding) -> Void = { _ in }

    /// - Parameter tell: receives each step as it ends. After a failed step, only the removal follows.
    /// - Returns: the advice of a survey.
    @discardableResult
    func run(_ tell: Tell) async -> [SurveyAdvice] {
        let seen: ProbeAnswer
        do throws(UploadError) {
            seen = try await look(tell)
        } catch {
            tell(.failed(.look, error))
            return []
        }
        if !writes, let surveyed = destination as? any SurveyedDestination, case .named(let name, let key) = reference {
            return await surveyed.survey(name, below: key + "/", tell: tellFinding)
        }
        if writes { await write(seen, tell) } else { await begin(tell) }
        return []
    }

    private func job(_ size: Int64, _ digests: Digests = Digests()) -> UploadJob {
        UploadJob(source: .inline(Data()), destination: reference, size: size, digests: digests)
    }

    private var place: String { reference.displayText }

    private func look(_ tell: Tell) async throws(UploadError) -> ProbeAnswer {
        let answer = try await destination.probe(job(Self.fileSize), state: nil)
        switch answer {
        case .nothing: tell(.done(.look, "it answers, and nothing lies at \(place)"))
        case .unknowable: tell(.skipped(.look, "it cannot be asked what it holds"))
        case .complete, .partial, .other: tell(.done(.look, "it answers, and something lies at \(place)"))
        }
        return answer
    }

    /// Begins an upload, sends one part, and removes both.
    private func begin(_ tell: Tell) async {
        let job = job(Self.size)
        guard destination.canYield(job) else { return tell(Self.stays) }
        let session: any UploadSession
        do throws(UploadError) {
            session = try await destination.open(job, resuming: nil)
        } catch {
            tell(.failed(.begin, error))
            return
        }
        // Some drivers learn only from the server's answer to `open` whether an upload can be interrupted.
        guard destination.canYield(job) else {
            await session.close()
            return tell(Self.stays)
        }
        tell(.done(.begin, "an upload can be begun"))
        await send(to: session, tell)
        await remove(session, of: job, tell)
    }

    private static var stays: TrialStep {
        .skipped(
            .begin,
            "it takes whole files only, and one would stay there: --write KEY puts \(Quantity.text(bytes: fileSize)) under a key"
        )
    }

    private func remove(_ session: any UploadSession, of job: UploadJob, _ tell: Tell) async {
        let state = session.state
        await session.close()
        guard let state else { return }
        tell(await removed(state, of: job))
    }

    /// Removes the begun upload, even if the operator has interrupted the trial.
    private func removed(_ state: UploadState, of job: UploadJob) async -> TrialStep {
        await Task { () -> TrialStep in
            do throws(UploadError) {
                try await destination.discard(state, of: job)
                return .done(.remove, "nothing is left of it")
            } catch {
                return .failed(.remove, error)
            }
        }.value
    }

    private func send(to session: any UploadSession, _ tell: Tell) async {
        guard let part = session.missing.first else { return }
        let start = ContinuousClock.now
        do throws(UploadError) {
            try await session.upload(part, from: TrialSource(size: Self.size)) { _ in }
        } catch {
            tell(.failed(.send, error))
            return
        }
        let seconds = max(0.001, (ContinuousClock.now - start) / .seconds(1))
        let pace = Quantity.text(bytes: Int64(Double(part.size) / seconds))
        tell(.done(.send, "a part of \(Quantity.text(bytes: part.size)) arrived, \(pace)/s"))
    }

    /// Writes a file as a job would. It does not replace an existing object.
    private func write(_ seen: ProbeAnswer, _ tell: Tell) async {
        switch seen {
        case .nothing, .unknowable: break
        case .complete, .partial, .other:
            tell(
                .failed(
                    .write, UploadError(.rejected, "something lies at \(place) already, and is kept: give another key"))
            )
            return
        }
        let source = TrialSource(size: Self.fileSize)
        let job = job(Self.fileSize, Digests(crc64nvme: CRC64NVME(of: source.bytes).hexadecimal))
        let condition: WriteCondition = seen == .nothing ? .absent : .none
        let session: any UploadSession
        do throws(UploadError) {
            session = try await destination.open(job, resuming: nil)
        } catch {
            tell(.failed(.write, error))
            return
        }
        do throws(UploadError) {
            session.prepare(for: condition)
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
            let completed = try await session.complete(condition)
            await session.close()
            let size = Quantity.text(bytes: Self.fileSize)
            tell(.done(.write, "\(size) of random bytes lie at \(completed.object.location), and stay there"))
        } catch {
            if case .notYet = error.retry {
                tell(.done(.write, "the server has the file, and has not said what becomes of it: \(error.message)"))
                await session.close()
                return
            }
            tell(.failed(.write, error))
            await remove(session, of: job, tell)
        }
    }
}

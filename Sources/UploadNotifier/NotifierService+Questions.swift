import Logging
import Uploads

/// Answers from what is recorded, without recording anything.
extension NotifierService {
    /// The questions of a batch that was recorded: whatever its other messages tell is known by then.
    func answerQuestions(in batch: [NotifierMessage]) async {
        for case .order(let order, let replyTo) in batch {
            if case .ask(let jobs) = order.command { await answer(order, about: jobs, replyTo: replyTo) }
        }
    }

    /// A question that cannot be answered holds up nothing: the program that asked goes on as if it had not.
    func answer(_ order: UploadOrder, about jobs: [JobID], replyTo: String?) async {
        // It waited in the queue for too long, and so did the program that asked.
        guard let replyTo else { return }
        var answer = OrderAnswer(order: order.id)
        do throws(UploadError) {
            answer.add(try await ledger.reports(of: jobs).map { progress.completing($0) })
        } catch {
            answer = OrderAnswer(order: order.id, notRecorded: "the ledger cannot be read: \(error.message)")
        }
        logger.debug(
            "a question is answered",
            metadata: [
                LogKey.order: "\(order.id)", LogKey.by: "\(order.by)", LogKey.matched: "\(answer.matched)",
                LogKey.count: "\(answer.done)",
            ])
        await bus.answer(answer, to: replyTo)
    }
}

extension LatestProgress {
    /// The same, and of a job that runs how far it is.
    fileprivate func completing(_ answer: OrderAnswer.Job) -> OrderAnswer.Job {
        guard answer.report?.status == .running, let latest = progress(of: answer.id) else { return answer }
        var answer = answer
        answer.report?.note(bytesDone: latest.bytesDone, bytesPerSecond: latest.bytesPerSecond, at: latest.at)
        return answer
    }
}

import Logging
import Uploads

/// Answers questions from the ledger, without recording anything.
extension NotifierService {
    /// Answers the questions of a recorded batch: the ledger knows the contents of its other messages by then.
    func answerQuestions(in batch: [NotifierMessage]) async {
        for case .order(let order, let replyTo) in batch {
            if case .ask(let jobs) = order.command { await answer(order, about: jobs, replyTo: replyTo) }
        }
    }

    /// Answers a question. A question that cannot be answered holds up nothing: the program that asked goes on without an answer.
    func answer(_ order: UploadOrder, about jobs: [JobID], replyTo: String?) async {
        // Without a reply queue, the question has waited for too long, and the program that asked is no longer waiting.
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
        await send(answer, to: order, replyTo)
    }
}

extension LatestProgress {
    /// The answer, completed by the latest progress of a running job.
    fileprivate func completing(_ answer: OrderAnswer.Job) -> OrderAnswer.Job {
        guard answer.report?.status == .running, let latest = progress(of: answer.id) else { return answer }
        var answer = answer
        answer.report?.note(bytesDone: latest.bytesDone, bytesPerSecond: latest.bytesPerSecond, at: latest.at)
        return answer
    }
}

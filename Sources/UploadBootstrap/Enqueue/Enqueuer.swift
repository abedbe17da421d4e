import UploadSources
import Uploads
import UploadsRabbitMQ

/// Carries out a plan: stages, publishes, waits. Nothing that was confirmed is ever taken back, and what was not leaves no
/// copy behind, unless nobody knows whether it arrived.
struct Enqueuer {
    let request: EnqueueRequest
    let plan: EnqueuePlan
    let configuration: UploadConfiguration
    let broker: UploadBroker
    let interruption: Interruption

    func run() async throws -> ExitCode {
        let uploads = plan.uploads
        do {
            let submitter = try await broker.submitter(for: request.queue)
            let watch = request.waits ? try await broker.watch(request.queue) : nil
            let maker = JobMaker(request: request, area: try await area())
            let jobs = try await interruption.cancelling { try await maker.jobs(for: uploads) }
            let display = WaitDisplay(printsJSON: request.printsJSON)
            for (upload, job) in zip(uploads, jobs) { display.add(upload, job) }
            let waiting = Waiting(display: display, interruption: interruption)
            // Events are read from now on, so that the queue that collects them does not run over meanwhile.
            let listening = watch.map { waiting.listen(to: $0) }
            let fates = await publish(jobs, maker, submitter)
            for (job, fate) in zip(jobs, fates) {
                if case .confirmed = fate {} else { display.remove(job.id) }
            }
            let failure = try await settle(fates, jobs, maker)
            var code = ExitCode.done
            if let listening, !display.board.entries.isEmpty { code = try await waiting.finish(listening) }
            listening?.cancel()
            await watch?.close()
            if let failure { throw failure }
            return code
        } catch let error as UploadError {
            // Whatever was published is dealt with above: these errors come before the first publish.
            throw ProgramError(ProgramError(error).exitCode, "\(error.message); nothing was enqueued")
        }
    }

    /// The staging area, where anything has to be staged.
    private func area() async throws(UploadError) -> StagingArea? {
        guard request.stages, plan.uploads.contains(where: { !$0.isInline }) else { return nil }
        return try await StagingArea.open(at: configuration.staging, group: configuration.stagingGroup)
    }

    private func publish(
        _ jobs: [UploadJob], _ maker: JobMaker, _ submitter: UploadSubmitter
    ) async -> [Publication.Fate] {
        let uploads = plan.uploads
        let publication = Publication { job, isRepeat throws(UploadError) in
            try await submitter.submit(job, maybeRepeated: isRepeat)
        }
        return await publication.publish(
            count: jobs.count,
            load: { index throws(UploadError) in try maker.loaded(jobs[index], uploads[index]) },
            shouldStop: { interruption.wasInterrupted },
            confirmed: { index in
                if !request.printsJSON {
                    Console.output(line: jobs[index].id.rawValue)
                } else if !request.waits {
                    Console.output(line: EnqueuedLine(uploads[index], id: jobs[index].id, size: jobs[index].size).text)
                }
            })
    }

    /// Tidies up after what was not published, and says what was and what was not.
    private func settle(_ fates: [Publication.Fate], _ jobs: [UploadJob], _ maker: JobMaker) async throws
        -> ProgramError?
    {
        var confirmed = 0
        var unknown: [Int] = []
        var lost: [Int] = []
        var first: UploadError?
        for (index, fate) in fates.enumerated() {
            switch fate {
            case .confirmed: confirmed += 1
            case .unknown(let error):
                unknown.append(index)
                first = first ?? error
            case .refused(let error):
                lost.append(index)
                first = first ?? error
            case .untried: lost.append(index)
            }
        }
        guard confirmed < jobs.count else { return nil }
        await maker.discard(lost.map { jobs[$0] })
        var problems = [first.map { ProgramError($0).description } ?? "interrupted"]
        problems.append("\(confirmed) of \(jobs.count) were enqueued, their ids are on standard output")
        if let next = lost.first {
            problems.append("\(lost.count) were not, from \(plan.uploads[next].path) on; enqueue these again")
        }
        if !unknown.isEmpty {
            let paths = unknown.prefix(5).map { plan.uploads[$0].path }.joined(separator: ", ")
            problems.append(
                """
                of \(unknown.count) it is not known (the connection was lost before the broker confirmed them): \(paths)\
                \(unknown.count > 5 ? ", …" : ""); their copies are kept, look whether they arrive before enqueueing them again
                """)
        }
        return ProgramError(first.map { ProgramError($0).exitCode } ?? .interrupted, problems: problems)
    }
}

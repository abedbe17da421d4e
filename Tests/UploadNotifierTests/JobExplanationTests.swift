import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadNotifier

@Suite struct JobExplanationTests {
    private let busy: [Lane: LaneDepth] = [.normal: LaneDepth(messages: 7, consumers: 1)]

    private func job(_ change: (inout LedgerJob) -> Void = { _ in }) -> LedgerJob {
        var job = LedgerJob(Baton(job: Sample.job()), isWhole: true, at: Sample.start)
        change(&job)
        return job
    }

    private func code(
        _ job: LedgerJob, _ control: ControlView? = ControlView(), _ lanes: [Lane: LaneDepth]?
    ) -> JobExplanation.Code {
        JobExplanation(of: job, control: control, lanes: lanes).code
    }

    @Test func `a running job is at the worker that reported it`() {
        var running = job()
        running.status = .running
        func text(_ worker: String?) -> String {
            JobExplanation(of: running, control: ControlView(), lanes: busy, worker: worker).text
        }
        #expect(text("up1/7").hasSuffix(" at worker 'up1/7'") && !text(nil).contains("worker"))
    }

    @Test func `a queued job waits for its turn, for a worker, or for its queue`() {
        #expect(JobExplanation(of: job(), control: ControlView(), lanes: busy).text.contains("7 waiting"))
        #expect(code(job(), ControlView(), [:]) == .noWorker)
        #expect(code(job(), nil, nil) == .queued)
        var stopped = ControlView()
        stopped.apply(.queueStopped(.standard))
        #expect(code(job(), stopped, busy) == .queueStopped)
    }

    @Test func `a time that has passed is not waited for`() {
        let scheduled = job {
            $0.status = .waiting
            $0.reason = "scheduled"
            $0.waitingUntil = Sample.start + 100
        }
        func explanation(_ seconds: TimeInterval, _ lanes: [Lane: LaneDepth]?) -> JobExplanation {
            JobExplanation(of: scheduled, control: ControlView(), lanes: lanes, now: Sample.start + seconds)
        }
        #expect(explanation(129, busy).code == .waiting && explanation(129, busy).text.contains("not to start before"))
        let late = explanation(131, busy)
        #expect(late.code == .queued && late.until == nil)
        #expect(!late.text.contains("before") && late.text.contains("7 waiting"), "\(late.text)")
        #expect(late.text.contains("uploadctl topology check"))
        #expect(explanation(131, [:]).code == .noWorker)
        #expect(explanation(131, [:]).text.contains("start upload-worker"))
        #expect(explanation(131, nil).code == .queued)
    }

    @Test func `an operator's pause goes before another reason to wait, and a cancel before a pause`() {
        let paused = job {
            $0.status = .waiting
            $0.reason = "retry"
            $0.pausedThrough = 1
        }
        #expect(code(paused, ControlView(), busy) == .paused)
        var cancelling = paused
        cancelling.isCancelling = true
        #expect(code(cancelling, ControlView(), busy) == .cancelling)
        #expect(JobExplanation(of: cancelling, control: nil, lanes: [:]).text.contains("waits for a worker"))
    }

    @Test func `a job in a serial line says which job is ahead and what holds the line up`() {
        let waiting = job { $0.line = .waiting }
        func text(_ place: LinePlace?) -> String {
            let explanation = JobExplanation(of: waiting, control: ControlView(), lanes: busy, place: place)
            #expect(explanation.code == .inLine)
            return explanation.text
        }
        let (holder, ahead) = (JobID(), JobID())
        let next = text(
            LinePlace(position: 0, waiting: 3, behind: holder, holder: holder, holderStatus: .running))
        #expect(next == "it is next in the serial line of queue 'default', behind job \(holder), which is running")
        let second = text(LinePlace(position: 1, waiting: 3, behind: ahead, holder: holder, holderStatus: .paused))
        #expect(
            second == "it is second of 3 that wait in the serial line of queue 'default', behind job \(ahead); job "
                + "\(holder) is paused and holds the line up: resume it or cancel it")
        #expect(text(LinePlace(position: 11, waiting: 12, behind: ahead)).contains("number 12 of 12"))
        #expect(text(nil).contains("when those before it"))
    }

    @Test func `a failed job can run again, unless its copy was never complete`() {
        func text(_ code: UploadError.Code) -> String {
            let failed = job {
                $0.end = RoundEnd(
                    kind: .failed, event: "e", at: Sample.start, error: UploadError(code, "it failed: mend that"))
            }
            return JobExplanation(of: failed, control: ControlView(), lanes: [:]).text
        }
        #expect(text(.accessDenied).contains("it failed: mend that; 'uploadctl run --again"))
        #expect(text(.sourceIncomplete) == "it has failed: it failed: mend that")
    }

    @Test func `a held job is explained with its reason and the remedy`() {
        let unclaimed = job { $0.hold = IssueHold(.noLane, until: Sample.start) }
        let explanation = JobExplanation(of: unclaimed, control: ControlView(), lanes: [:])
        #expect(explanation.code == .noWorker && explanation.until == nil)
        #expect(explanation.text.contains("upload-worker --queue default"))
        #expect(explanation.text.contains("the notifier keeps the job"))
        let cause = DeathCause.expired(queue: "upload.jobs.default.normal")
        let dropped = job {
            $0.hold = IssueHold(.policy, until: Sample.start)
            $0.reason = cause.reason
        }
        let story = JobExplanation(of: dropped, control: ControlView(), lanes: busy)
        #expect(story.code == .dropped && story.until == Sample.start)
        #expect(story.text.contains("message-ttl") && story.text.contains("rabbitmqctl clear_policy"))
    }

    @Test func `a running job runs, whatever consumers there are`() {
        #expect(code(job { $0.status = .running }, ControlView(), [:]) == .running)
    }

    @Test func `a job that is being cancelled says until when it waits for its worker`() {
        let waiting = job {
            $0.isCancelling = true
            $0.status = .waiting
            $0.reason = "cancelling"
            $0.waitingUntil = Sample.start
        }
        let explanation = JobExplanation(of: waiting, control: ControlView(), lanes: busy)
        #expect(explanation.code == .cancelling && explanation.until == Sample.start)
        #expect(explanation.text.contains("cancelled, until \(WireJSON.timestamp(Sample.start))"))
        let running = job {
            $0.isCancelling = true
            $0.status = .running
        }
        #expect(JobExplanation(of: running, control: ControlView(), lanes: busy).until == nil)
    }

    @Test func `an ended job is explained with its outcome and the possible orders`() {
        let failed = job {
            $0.status = .failed
            $0.end = RoundEnd(
                kind: .failed, event: "e", at: Sample.start, error: UploadError(.accessDenied, "the bucket is closed"))
        }
        let explanation = JobExplanation(of: failed, control: nil, lanes: nil)
        #expect(explanation.code == .failed)
        #expect(explanation.text.contains("the bucket is closed"))
    }

    @Test func `limits that make jobs wait are named, for a running job and for one that waits behind others`() {
        let limits = TransferLimits(bytesPerSecond: 2_097_152)
        func report(isHeld: Bool) -> DestinationReport {
            DestinationReport(
                worker: "w1", destination: "local", jobsInFlight: 4, limits: limits,
                pace: DestinationReport.Pace(bytesPerSecond: 2e6, isHeld: isHeld), at: Sample.start)
        }
        for status in [LedgerStatus.running, .queued] {
            let one = job { $0.status = status }
            for isHeld in [true, false] {
                let reports = [report(isHeld: isHeld)]
                let explanation = JobExplanation(of: one, control: ControlView(), lanes: busy, reports: reports)
                #expect(explanation.text.contains("bytesPerSecond: 2097152) hold up what goes there: 4 jobs") == isHeld)
            }
        }
    }

    @Test func `the jobs that hold up a queue are listed by destination and reason`() {
        func waiting(_ reason: String, _ trouble: String?) -> LedgerJob {
            job {
                $0.status = .waiting
                $0.reason = reason
                $0.trouble = trouble
            }
        }
        let label = job().baton.job.destination.label
        let list = API.HoldUp.list(of: [
            waiting("limited", nil), waiting("retry", "not its destination's"), waiting("limited", "two at once"),
            waiting("circuitOpen", "full"),
        ])
        #expect(
            list == [
                API.HoldUp(destination: label, reason: "circuitOpen", jobs: 1, text: "full"),
                API.HoldUp(destination: label, reason: "limited", jobs: 2, text: "two at once"),
            ])
    }

    @Test(arguments: [
        ("retry", "next attempt"), ("circuitOpen", "cannot be used"), ("limited", "limit"),
        ("notYet", "not done with it yet"),
        ("scheduled", "not to start"),
        ("locked", "staged copy"), ("copying", "still copies"), ("unknownDestination", "configuration"),
        ("unknownStagingArea", "staging area"),
        ("unsupportedVersion", "newer version"), ("newWord", "newWord"),
    ])
    func `a waiting job says what for, and until when`(reason: String, word: String) {
        let waiting = job {
            $0.status = .waiting
            $0.reason = reason
            $0.waitingUntil = Sample.start
        }
        let explanation = JobExplanation(of: waiting, control: ControlView(), lanes: [:])
        #expect(explanation.code == .waiting)
        #expect(explanation.until == Sample.start)
        #expect(explanation.text.contains(word), "\(explanation.text)")
    }

    @Test func `the dashboard's page says at which destination the jobs of a queue wait, and why`() {
        let status = QueueLoad(queue: .standard, counts: [.waiting: 3])
        let text = "worker w keeps the limits of destination 'x' (jobs: 2) & has 2 jobs under way there"
        let heldUp = [API.HoldUp(destination: "<x>", reason: "limited", jobs: API.HoldUp.jobsMaximum, text: text)]
        var model = DashboardModel(at: Sample.start)
        model.queues = [API.Queue(status, lanes: nil, control: nil, heldUp: heldUp)]
        let page = DashboardPage(model, for: DashboardViewer(APICaller(.dashboard))).parts.map(\.html.text).joined()
        #expect(page.contains("100+ queue up at"))
        #expect(page.contains("&lt;x&gt;") && page.contains("(jobs: 2) &amp; has 2 jobs under way there"))
    }
}

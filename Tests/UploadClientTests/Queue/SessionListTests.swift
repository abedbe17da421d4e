import Foundation
import Testing
import Uploads

@testable import UploadClient

/// The orders to a transfer queue, and its events, without a broker.
@Suite("The list of a transfer queue") struct SessionListTests {
    @Test func `sessions enter at the end, at the front and at an index, and run in that order`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add(), c = try list.add(at: .front)
        let d = try list.add(at: .index(1))
        let e = try list.add(at: .index(99))
        #expect(list.sessions.map(\.id) == [c, d, a, b, e])
        #expect(list.line == [c, d, a, b, e])
    }

    @Test func `one whose turn has come keeps it when others are added before it`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.handOver(a)
        let c = try list.add(at: .front)
        #expect(list.sessions.map(\.id) == [c, a, b])
        #expect(list.line == [a, c, b])
        let job = try #require(list[a]?.files.last?.job)
        #expect(list.position(of: c, 0) == SerialPosition(index: 0, after: job))
    }

    @Test func `the jobs of a session follow each other behind those of the session before`() throws {
        var list = SessionList()
        let a = try list.add(files: 2), b = try list.add(files: 2)
        #expect(list.position(of: a, 0) == .next)
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        #expect(jobs.count == 4)
        #expect(list.position(of: a, 1).after == jobs[0])
        #expect(list.position(of: b, 0).after == jobs[1])
        #expect(list.position(of: b, 1).after == jobs[2])
    }

    @Test func `a session is told from its turn to its end`() throws {
        var list = SessionList()
        let a = try list.add(files: 2)
        list.handOver(a)
        let jobs = list.arrangement
        #expect(list.kinds(jobs[0], .running) == [.willActivate, .didActivate, .willStartRunning, .didStartRunning])
        #expect(list.hear(jobs[0], .running, bytesDone: 5).map(\.kind) == [.progress])
        #expect(list.kinds(jobs[0], .interrupted) == [.willStopRunning, .didStopRunning])
        #expect(list.kinds(jobs[0], .running) == [.willStartRunning, .didStartRunning])
        #expect(list.kinds(jobs[0], .completed) == [.willStopRunning, .didStopRunning])
        #expect(list.kinds(jobs[1], .running) == [.willStartRunning, .didStartRunning])
        #expect(
            list.kinds(jobs[1], .completed)
                == [.willStopRunning, .didStopRunning, .finished, .willDeactivate, .didDeactivate])
        #expect(list[a]?.state == .finished)
        #expect(list[a]?.fractionDone == 1)
        #expect(list.line.isEmpty)
    }

    @Test(arguments: [TransferSession.File.State.waiting, .interrupted, .paused])
    func `one of which only the end is heard is told from its turn to its end, too`(before: TransferSession.File.State)
        throws
    {
        var list = SessionList()
        let a = try list.add(files: 2)
        list.handOver(a)
        let jobs = list.arrangement
        let told = [(jobs[0], before), (jobs[0], .completed), (jobs[1], .completed)].flatMap { list.kinds($0, $1) }
        #expect(
            told.filter { $0 != .changed } == [
                .willActivate, .didActivate, .willStartRunning, .didStartRunning, .willStopRunning, .didStopRunning,
                .willStartRunning, .didStartRunning, .willStopRunning, .didStopRunning, .finished, .willDeactivate,
                .didDeactivate,
            ])
    }

    @Test func `a session that fails before a worker began it neither starts nor stops running`() throws {
        var list = SessionList()
        let a = try list.add()
        list.handOver(a)
        let events = list.hear(
            list.arrangement[0], .failed, failure: UploadError(.wrongCredentials, "the password is wrong"))
        #expect(events.map(\.kind) == [.failed])
        #expect(list[a]?.failure?.code == .wrongCredentials)
    }

    @Test func `a cancelled session stays listed, never runs by itself, and can be run again`() throws {
        var list = SessionList()
        let a = try list.add(files: 2), b = try list.add()
        list.isStarted = true
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .completed)
        #expect(try list.cancel(a).map(\.kind) == [.changed])
        #expect(list.nextToCancel?.openJobs == [jobs[1]])
        #expect(throws: UploadError.self) { try list.run(a) }
        #expect(list.kinds(jobs[1], .cancelled).first == .cancelled)
        #expect(list.sessions.map(\.id) == [a, b])
        #expect(list.line == [b] && list.nextToHandOver == nil)
        _ = try list.run(a)
        #expect(list.line == [a, b] && list.nextToHandOver == a)
        list.handOver(a)
        // The completed file is not sent again, and the other one has a new job.
        #expect(list[a]?.files.map(\.state) == [.completed, .waiting])
        #expect(list[a]?.openJobs.count == 1 && list[a]?.openJobs != [jobs[1]])
    }

    @Test func `one that is cancelled before its turn is told to be cancelled, and never to be active`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add(files: 2)
        list.isStarted = true
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        #expect(try list.cancel(b).map(\.kind) == [.changed])
        #expect(list[b]?.state == .cancelling && list[b]?.files.map(\.state) == [.cancelling, .cancelling])
        // Late and intermediate news of its worker change nothing.
        let first = UploadUpdate(id: jobs[1], status: .cancelling(until: .distantFuture), bytesTotal: 10)
        #expect(list.hear(first).isEmpty)
        for state in [TransferSession.File.State.running, .interrupted, .waiting, .paused] {
            #expect(list.kinds(jobs[1], state).isEmpty)
            #expect(list[b]?.state == .cancelling)
        }
        #expect(list.kinds(jobs[1], .completed) == [.progress])
        #expect(list[b]?.state == .cancelling)
        #expect(list.kinds(jobs[2], .cancelled) == [.cancelled])
        #expect(list[b]?.state == .cancelled && list[a]?.state == .running)
    }

    @Test func `one that is cancelled while it runs stops, and has its turn until it has ended`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.isStarted = true
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        #expect(try list.cancel(a).map(\.kind) == [.willStopRunning, .didStopRunning])
        #expect(list[a]?.state == .cancelling)
        #expect(list.kinds(jobs[0], .running).isEmpty)
        // When another session is to run now, that one does not wait for this one to give its turn back.
        _ = try list.run(b)
        #expect(list[a]?.isGivingWay == false)
        let copy = try WireJSON.decode(SessionList.self, from: try WireJSON.encode(list))
        #expect(copy == list)
        #expect(try list.remove(a).value == nil)
        #expect(list.kinds(jobs[0], .cancelled) == [.cancelled, .willDeactivate, .didDeactivate, .removed])
    }

    @Test(arguments: [true, false]) func `a paused or stopped one that is cancelled holds up no other`(
        isPaused: Bool
    ) throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.isStarted = true
        list.handOver(a)
        list.handOver(b)
        _ = list.hear(list.arrangement[0], .running)
        _ = try isPaused ? list.pause(a) : list.stop(a)
        _ = try list.cancel(a)
        #expect(list[a]?.isPaused == false && list[a]?.isGivingWay == false)
        _ = try list.run(b)
        #expect(list.gaveWay(a).isEmpty && list[a]?.state == .cancelling)
    }

    @Test func `a job that an operator cancels before its turn does not make its session active`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        #expect(list.kinds(jobs[1], .cancelling) == [.changed])
        #expect(list[b]?.state == .queued && list[b]?.files.first?.state == .cancelling)
        #expect(list.kinds(jobs[1], .cancelled) == [.cancelled])
    }

    @Test func `a cancellation that came before its job is ordered again`() throws {
        var list = SessionList()
        let a = try list.add()
        list.beginHandingOver(a, queue: .standard, namespace: "test")
        _ = try list.cancel(a)
        let job = try #require(list.nextToCancel?.openJobs.first)
        list.sessions[0].isCancelTold = true
        list.accepted(job)
        #expect(list.nextToCancel?.id == a)
    }

    @Test func `a session that was not handed over is cancelled at once`() throws {
        var list = SessionList()
        let a = try list.add()
        #expect(try list.cancel(a).map(\.kind) == [.cancelled])
        #expect(list.line.isEmpty && list.sessions.count == 1)
        #expect(throws: UploadError.self) { try list.cancel(a) }
    }

    @Test func `running another one makes the one before give way, and it comes next`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add(), c = try list.add()
        for id in [a, b, c] { list.handOver(id) }
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        _ = try list.run(c)
        #expect(list.line == [c, a, b])
        #expect(list.sessions.map(\.id) == [a, b, c])
        #expect(list.isToArrange && list[a]?.isGivingWay == true)
        #expect(list.arrangement == [jobs[2], jobs[0], jobs[1]])
        #expect(list.kinds(jobs[0], .paused) == [.willStopRunning, .didStopRunning])
        #expect(list.gaveWay(a).map(\.kind) == [.willDeactivate, .didDeactivate])
        #expect(list[a]?.state == .queued)
        // Late news.
        _ = list.hear(jobs[0], .running)
        _ = list.hear(jobs[0], .paused)
        #expect(list[a]?.state == .queued)
        #expect(list.kinds(jobs[2], .running).first == .willActivate)
    }

    @Test func `a stopped session goes behind all others and runs again by itself`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.handOver(a)
        list.handOver(b)
        _ = list.hear(list.arrangement[0], .running)
        _ = try list.stop(a)
        #expect(list.line == [b, a])
        #expect(list[a]?.isGivingWay == true && list.isToArrange)
        #expect(list[a]?.state == .running)
        _ = list.gaveWay(a)
        #expect(list[a]?.state == .queued)
    }

    @Test func `a paused session holds the queue`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add()
        list.isStarted = true
        _ = try list.pause(a)
        #expect(list.nextToHandOver == nil)
        _ = try list.resume(a)
        #expect(list.nextToHandOver == a)
        list.handOver(a)
        _ = try list.pause(a)
        #expect(list.nextToPauseOrResume?.id == a)
        let refused = #expect(throws: UploadError.self) { try list.run(b) }
        #expect(refused?.message.contains("is paused and holds the queue") == true)
        #expect(throws: UploadError.self) { try list.resume(b) }
        _ = try list.run(a)
        #expect(list[a]?.isPaused == false)
    }

    @Test func `a running session is not removed, and the error says what to do`() throws {
        var list = SessionList()
        let a = try list.add(), b = try list.add(), c = try list.add()
        list.handOver(a)
        list.handOver(b)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        let refused = #expect(throws: UploadError.self) { try list.remove(a) }
        #expect(refused?.code == .rejected && refused?.message.contains("cancel it") == true)
        #expect(try list.remove(c).value?.id == c)
        // A session whose jobs the broker has is removed when they are cancelled there.
        #expect(try list.remove(b).value == nil)
        #expect(list.sessions.count == 2)
        #expect(list.kinds(jobs[1], .cancelled) == [.cancelled, .removed])
        #expect(list.sessions.map(\.id) == [a])
    }

    @Test func `an account that sessions refer to is not removed, and the error names them`() throws {
        var list = SessionList()
        let a = try list.add()
        let account = try TransferAccount("archive")
        #expect(list.accounts == [account])
        let refused = #expect(throws: UploadError.self) { try list.remove(account) }
        #expect(refused?.message.contains(a.uuidString.lowercased()) == true)
        _ = try list.cancel(a)
        _ = try list.remove(a)
        try list.remove(account)
        #expect(list.accounts.isEmpty)
    }

    @Test func `it is the same after it was kept on disk`() throws {
        var list = SessionList()
        let a = try list.add(files: 2)
        _ = try list.add(at: .front, staysOpen: true)
        _ = try list.addDownloads("a", "b")
        list.handOver(a)
        _ = list.hear(list.arrangement[0], .failed, failure: UploadError(.serverFailure, "it is full"))
        let copy = try WireJSON.decode(SessionList.self, from: try WireJSON.encode(list))
        #expect(copy == list)
    }
}

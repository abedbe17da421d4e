import Foundation
import Testing
import Uploads

@testable import UploadClient

/// Sessions to which files are added while they run, without a broker.
@Suite("Sessions that stay open") struct OpenSessionTests {
    /// A started queue with a session that stays open and has so many files, and one behind it. The broker has both.
    private func started(files: Int = 1) throws -> (SessionList, open: UUID, other: UUID) {
        var list = SessionList()
        list.isStarted = true
        let a = try list.add(files: files, staysOpen: true), b = try list.add()
        list.handOver(a)
        list.handOver(b)
        return (list, a, b)
    }

    @Test func `files are added behind the session's others and before the next session's`() throws {
        var (list, a, b) = try started()
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        #expect(try list.add(SessionList.files(2), to: a, .upload).map(\.kind) == [.changed])
        #expect(list.nextToHandOver == a)
        list.beginHandingOver(a, queue: .standard, namespace: "test")
        #expect(list.position(of: a, 1) == SerialPosition(index: 0, after: jobs[0]))
        let added = try #require(list[a]?.files[1].job)
        #expect(list.position(of: a, 2) == SerialPosition(index: 1, after: added))
        list.handOver(a)
        #expect(list.arrangement.count == 4 && list.arrangement.last == jobs[1])
        #expect(Set(list.arrangement).count == 4 && list.nextToHandOver == nil)
        #expect(list[b]?.state == .queued)
    }

    @Test func `it waits when its files have ended, its turn passes on, and it runs on when files are added`() throws {
        var (list, a, b) = try started()
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        #expect(
            list.kinds(jobs[0], .completed) == [.willStopRunning, .didStopRunning, .willDeactivate, .didDeactivate])
        #expect(list[a]?.state == .queued && list[a]?.staysOpen == true)
        #expect(list.first == b && list.line == [a, b] && !list.isPending)
        _ = list.hear(jobs[1], .running)
        let c = try list.add(at: .front)
        #expect(list.line == [a, b, c])
        // Next, behind the session that has its turn now.
        _ = try list.add(SessionList.files(1), to: a, .upload)
        #expect(list.line == [b, a, c] && list.sessions.map(\.id) == [c, a, b])
        list.handOver(a)
        #expect(list.kinds(jobs[1], .completed).contains(.finished))
        let job = try #require(list[a]?.openJobs.first)
        #expect(list.kinds(job, .running) == [.willActivate, .didActivate, .willStartRunning, .didStartRunning])
    }

    @Test func `one that is finished ends when its files have, and takes no more`() throws {
        var (list, a, b) = try started()
        let jobs = list.arrangement
        #expect(try list.finish(a).map(\.kind) == [.changed])
        for id in [a, b] {
            let refused = #expect(throws: UploadError.self) { try list.add(SessionList.files(1), to: id, .upload) }
            #expect(refused?.code == .rejected && refused?.message.contains("takes no more files") == true)
            #expect(throws: UploadError.self) { try list.finish(id) }
        }
        #expect(list.kinds(jobs[0], .completed).contains(.finished))
        let ended = #expect(throws: UploadError.self) { try list.add(SessionList.files(1), to: a, .upload) }
        #expect(ended?.message.contains("is finished already") == true)
    }

    @Test func `one that waits ends at once when it is finished, cancelled or removed`() throws {
        for staysEmpty in [true, false] {
            var list = SessionList()
            list.isStarted = true
            let ids = try (0..<3).map { _ in try list.add(files: staysEmpty ? 0 : 1, staysOpen: true) }
            for id in ids { list.handOver(id) }
            for job in list.arrangement { _ = list.hear(job, .completed) }
            #expect(list.first == nil && !list.isPending)
            #expect(try list.finish(ids[0]).map(\.kind) == [.finished])
            #expect(try list.cancel(ids[1]).map(\.kind) == [.cancelled])
            #expect(try list.remove(ids[2]).value?.id == ids[2])
            #expect(list.line.isEmpty && !list.isPending)
        }
    }

    @Test func `one of a failed file waits on, runs that file again when it is asked, and fails when it is finished`()
        throws
    {
        var (list, a, _) = try started(files: 2)
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .completed)
        _ = list.hear(jobs[1], .failed, failure: UploadError(.rejected, "no"))
        #expect(list[a]?.state == .queued && list[a]?.failure?.code == .rejected)
        _ = try list.run(a)
        #expect(list.nextToHandOver == a)
        list.handOver(a)
        #expect(list[a]?.openJobs.count == 1 && list[a]?.openJobs != [jobs[1]])
        let again = try #require(list[a]?.openJobs.first)
        _ = list.hear(again, .failed, failure: UploadError(.rejected, "no"))
        #expect(try list.finish(a).map(\.kind) == [.failed])
    }

    @Test func `what is added to a paused one is held, too`() throws {
        var (list, a, b) = try started()
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .completed)
        _ = try list.pause(a)
        _ = try list.add(SessionList.files(1), to: a, .upload)
        // Behind the other session, which has its turn.
        #expect(list.nextToHandOver == a)
        list.handOver(a)
        #expect(list.nextToPauseOrResume?.id == a)
        _ = list.hear(jobs[1], .completed)
        #expect(list[b]?.state == .finished && list.first == a)
        // With no session before it, it is not even handed over.
        var (alone, c, _) = try started()
        for job in alone.arrangement { _ = alone.hear(job, .completed) }
        _ = try alone.pause(c)
        _ = try alone.add(SessionList.files(1), to: c, .upload)
        #expect(alone.nextToHandOver == nil)
        _ = try alone.resume(c)
        #expect(alone.nextToHandOver == c)
    }

    @Test func `one that ends its last file while it gives its turn back has none to give`() throws {
        var (list, a, b) = try started()
        let jobs = list.arrangement
        _ = list.hear(jobs[0], .running)
        _ = try list.run(b)
        #expect(list[a]?.isGivingWay == true)
        _ = list.hear(jobs[0], .completed)
        #expect(list[a]?.isGivingWay == false && list[a]?.state == .queued)
    }
}

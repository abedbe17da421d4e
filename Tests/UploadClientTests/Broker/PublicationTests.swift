import Foundation
import Synchronization
import Testing
import UploadClient
import Uploads

struct PublicationTests {
    private let jobs = (0..<1000).map { index in
        UploadJob(
            source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "\(index)"), size: 0)
    }

    private func publish(
        _ count: Int, stopAfter: Int = .max, window: Int = Publication.windowMaximum,
        submit: @escaping @Sendable (UploadJob, Bool) async throws(UploadError) -> Void
    ) async -> (fates: [Publication.Fate], told: [Int]) {
        let begun = Mutex(0)
        var told: [Int] = []
        let publication = Publication(
            window: window,
            submit: { job, isRepeat, _ throws(UploadError) in try await submit(job, isRepeat) },
            pause: { _ in await Task.yield() })
        let fates = await publication.publish(
            count: count, load: { [jobs] index throws(UploadError) in jobs[index] },
            shouldStop: {
                begun.withLock {
                    $0 += 1
                    return $0 > stopAfter
                }
            }, confirmed: { told.append($0) })
        return (fates, told)
    }

    private func word(_ fate: Publication.Fate) -> String {
        switch fate {
        case .confirmed: "confirmed"
        case .incomplete: "incomplete"
        case .unknown: "unknown"
        case .refused: "refused"
        case .untried: "untried"
        case .kept: "kept"
        }
    }

    @Test(.timeLimit(.minutes(10))) func `confirms are told in order whatever order they come in`() async {
        let result = await publish(1000) { job, _ throws(UploadError) in
            for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
        }
        #expect(result.told == Array(0..<1000))
        #expect(result.fates.allSatisfy { word($0) == "confirmed" })
    }

    @Test(.timeLimit(.minutes(10))) func `never more than the window is in flight`() async {
        let inFlight = Mutex((now: 0, most: 0))
        _ = await publish(1000) { _, _ throws(UploadError) in
            inFlight.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            inFlight.withLock { $0.now -= 1 }
        }
        #expect(inFlight.withLock { $0.most } <= Publication.windowMaximum)
    }

    @Test(.timeLimit(.minutes(10))) func `after a refusal no more are begun, and what was confirmed is told`() async {
        let bad = jobs[300].id
        let result = await publish(1000) { job, _ throws(UploadError) in
            if job.id == bad { throw UploadError(.accessDenied, "not allowed") }
        }
        #expect(word(result.fates[300]) == "refused")
        #expect(result.fates.contains { word($0) == "untried" })
        let confirmed = result.fates.indices.filter { word(result.fates[$0]) == "confirmed" }
        #expect(result.told == confirmed)
    }

    /// A job that the broker did not take may have reached one of its two queues.
    @Test(.timeLimit(.minutes(10)), arguments: [UploadError.Code.networkFailure, .serverFailure])
    func `a lost confirm and a refused message are repeated as a repeat`(_ code: UploadError.Code) async {
        let tries = Mutex([Bool]())
        let result = await publish(1) { _, isRepeat throws(UploadError) in
            let count = tries.withLock {
                $0.append(isRepeat)
                return $0.count
            }
            if count < 3 { throw UploadError(code, "lost") }
        }
        #expect(tries.withLock { $0 } == [false, true, true])
        #expect(result.told == [0])
    }

    @Test(.timeLimit(.minutes(10))) func `when no repeat is confirmed, a job's fate is unknown`() async {
        let result = await publish(1) { _, _ throws(UploadError) in throw UploadError(.networkFailure, "lost") }
        #expect(word(result.fates[0]) == "unknown")
        #expect(result.told.isEmpty)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a confirmed job is told once its bytes are complete, and if they never are, no more are begun`()
        async
    {
        var told: [Int] = []
        let completed = Mutex<[Int]>([])
        let publication = Publication(window: 2, submit: { _, _, _ throws(UploadError) in })
        let fates = await publication.publish(
            count: 5, load: { [jobs] index throws(UploadError) in jobs[index] },
            complete: { index throws(UploadError) in
                if index == 2 { throw UploadError(.sourceChanged, "changed") }
                completed.withLock { $0.append(index) }
            }, shouldStop: { false },
            confirmed: { index in
                #expect(completed.withLock { $0 }.contains(index))
                told.append(index)
            })
        #expect(told.starts(with: [0, 1]) && !told.contains(2) && !told.contains(4))
        #expect(fates.map(word)[...2] == ["confirmed", "confirmed", "incomplete"] && word(fates[4]) == "untried")
    }

    @Test(.timeLimit(.minutes(10))) func `a job that is interrupted before it is published was not tried`() async {
        let publication = Publication(submit: { _, _, _ throws(UploadError) in })
        let fates = await publication.publish(
            count: 1, load: { _ throws(UploadError) in throw UploadError(.interrupted, "interrupted") },
            shouldStop: { false }, confirmed: { _ in })
        #expect(fates.map(word) == ["untried"])
    }

    @Test(.timeLimit(.minutes(10))) func `told to stop, it begins no more`() async {
        let result = await publish(1000, stopAfter: 10) { _, _ throws(UploadError) in }
        #expect(result.told == Array(0..<10))
        #expect(result.fates.filter { word($0) == "untried" }.count == 990)
    }

    @Test(.timeLimit(.minutes(10))) func `one that the broker refuses for itself lets the others go on`() async {
        let bad = jobs[300].id
        let result = await publish(1000) { job, _ throws(UploadError) in
            if job.id == bad { throw UploadError(.rejected, "too large") }
        }
        #expect(word(result.fates[300]) == "refused")
        #expect(result.told == Array(0..<1000).filter { $0 != 300 })
    }

    @Test(.timeLimit(.minutes(10))) func `in a line nothing is published behind one that is refused`() async {
        let bad = jobs[3].id
        let result = await publish(10, window: 1) { job, _ throws(UploadError) in
            if job.id == bad { throw UploadError(.rejected, "too large") }
        }
        #expect(
            result.fates.map(word) == Array(repeating: "confirmed", count: 3) + ["refused"]
                + Array(repeating: "untried", count: 6))
    }

    @Test(.timeLimit(.minutes(10)), arguments: [UploadError.Code.rejected, .accessDenied])
    func `a refusal says nothing of the try before it`(_ code: UploadError.Code) async {
        let result = await publish(1) { _, isRepeat throws(UploadError) in
            throw UploadError(isRepeat ? code : .networkFailure, "refused")
        }
        #expect(word(result.fates[0]) == "unknown")
    }

    @Test(.timeLimit(.minutes(10))) func `the fate of a job is unknown if its publishing was cancelled`() async {
        let result = await publish(1) { _, _ throws(UploadError) in throw UploadError(.interrupted, "cancelled") }
        #expect(word(result.fates[0]) == "unknown")
    }

    @Test(.timeLimit(.minutes(10))) func `tries and pauses together take no longer than the patience`() async {
        let patience = Duration.seconds(5)
        let limits = Mutex<[Duration]>([])
        let publication = Publication(
            patience: patience,
            submit: { _, _, limit throws(UploadError) in
                limits.withLock { $0.append(limit) }
                // A broker that is silent for most of the limit.
                try? await Task.sleep(for: min(limit, .milliseconds(200)))
                throw UploadError(.networkFailure, "no confirm")
            })
        let fates = await publication.publish(
            count: 1, load: { [jobs] index throws(UploadError) in jobs[index] }, shouldStop: { false },
            confirmed: { _ in })
        #expect(fates.map(word) == ["unknown"])
        let all = limits.withLock { $0 }
        #expect(all.first == patience && all.count > 1)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0 - $1 >= .milliseconds(200) }, "\(all)")
    }
}

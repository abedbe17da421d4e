import Foundation
import Testing
import Uploads

@testable import UploadClient

/// A table view that applies all events shows the present list.
@Suite("What a transfer queue tells") struct SessionListPropertyTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// The part of a session that a table view shows.
    private struct Row: Hashable {
        var id: UUID
        var state: TransferSession.State
        var isPaused: Bool
        var bytesDone: Int64
        var files: [TransferSession.File.State]

        init(_ session: TransferSession) {
            id = session.id
            state = session.state
            isPaused = session.isPaused
            bytesDone = session.bytesDone
            files = session.files.map(\.state)
        }
    }

    @Test(arguments: 0..<40) func `the events, applied to a copy, give the list, with consistent indices`(
        seed: UInt64
    ) throws {
        var dice = Dice(state: seed &* 7919 &+ 1)
        var list = SessionList()
        list.isStarted = true
        var shown: [TransferSession] = []
        var told = 0
        for _ in 0..<300 {
            for event in step(&list, &dice) {
                if event.kind != .added {
                    #expect(shown.indices.contains(event.index) && shown[event.index].id == event.session.id)
                }
                event.apply(to: &shown)
                told += 1
            }
            #expect(shown.map(Row.init) == list.sessions.map(Row.init))
            // The serial line holds the unfinished sessions, each once.
            #expect(Set(list.line) == Set(list.sessions.filter { !$0.state.isEnd }.map(\.id)))
            #expect(Set(list.line).count == list.line.count)
            // No session stands behind one that waits for files, and no job is handed over twice.
            #expect(list.sessions.allSatisfy { !$0.isIdle || ($0.state == .queued && !$0.isGivingWay) })
            #expect(Set(list.arrangement).count == list.arrangement.count)
        }
        #expect(told > 100)
    }

    private func step(_ list: inout SessionList, _ dice: inout Dice) -> [TransferQueueEvent] {
        let session = list.sessions.randomElement(using: &dice)
        let id = session?.id ?? UUID()
        let files: [TransferSession.File.State] = [
            .waiting, .running, .running, .interrupted, .paused, .cancelling, .cancelled, .failed, .completed,
            .completed,
        ]
        do {
            switch Int.random(in: 0..<15, using: &dice) {
            case 0, 1:
                let staysOpen = Bool.random(using: &dice)
                let made = TransferSession(
                    account: try TransferAccount("archive"),
                    files: SessionList.files(Int.random(in: (staysOpen ? 0 : 1)...3, using: &dice)),
                    staysOpen: staysOpen)
                list.save(made)
                return try list.enqueue(made.id, at: .index(Int.random(in: 0...8, using: &dice)))
            case 2: return try list.remove(id).events
            case 3: return try list.cancel(id)
            case 4: return try list.run(id)
            case 5: return try list.stop(id)
            case 6: return try list.pause(id)
            case 7: return try list.resume(id)
            case 8: return list.gaveWay(id)
            case 9, 10: return try list.add(SessionList.files(Int.random(in: 1...2, using: &dice)), to: id, .upload)
            case 11: return try list.finish(id)
            default:
                if let next = list.nextToHandOver { list.handOver(next) }
                guard let job = list.arrangement.randomElement(using: &dice),
                    let state = files.randomElement(using: &dice)
                else { return [] }
                return list.hear(job, state, bytesDone: Int64.random(in: 0...10, using: &dice))
            }
        } catch {
            // A refused call changes nothing, which the comparison shows.
            return []
        }
    }
}

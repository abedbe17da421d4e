import Foundation
import Testing
import Uploads

@testable import UploadClient

@Suite("Which round is resumed") struct BrokerResumeTests {
    private let upload = ResumableUpload(
        job: UploadJob(source: .inline(Data()), destination: .url("https://host.example/a"), size: 0), round: 2,
        state: nil)

    @Test func `one that completed is not resumed, one that completed before this round is`() throws {
        let error = #expect(throws: UploadError.self) {
            try BrokerResume.check(upload, ended: (round: 2, kind: .completed))
        }
        #expect(error?.code == .rejected)
        try BrokerResume.check(upload, ended: (round: 2, kind: .failed))
        try BrokerResume.check(upload, ended: (round: 1, kind: .completed))
        try BrokerResume.check(upload, ended: nil)
    }

    @Test func `the notifier says which round it is, and without its answer the next one is awaited`() throws {
        let done = OrderAnswer.Job(id: upload.id, round: 5)
        #expect(try BrokerResume.round(upload, endedRound: 2, answer: done) == 5)
        #expect(try BrokerResume.round(upload, endedRound: 3, answer: nil) == 4)
        #expect(try BrokerResume.round(upload, endedRound: nil, answer: nil) == 3)
        // An older notifier does not name the round.
        #expect(try BrokerResume.round(upload, endedRound: nil, answer: OrderAnswer.Job(id: upload.id)) == 3)
    }

    @Test func `an upload under way goes on as it is, and one that the ledger does not know is refused`() throws {
        let running = OrderAnswer.Job(id: upload.id, reason: "has not ended", round: 2)
        #expect(try BrokerResume.round(upload, endedRound: nil, answer: running) == 2)
        let unknown = OrderAnswer.Job(id: upload.id, reason: "the ledger knows no job")
        let error = #expect(throws: UploadError.self) {
            try BrokerResume.round(upload, endedRound: nil, answer: unknown)
        }
        #expect(error?.code == .rejected && error?.message == "the ledger knows no job")
    }
}

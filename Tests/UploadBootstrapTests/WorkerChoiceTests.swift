import Foundation
import Testing
import Uploads
import UploadsAPI

@testable import UploadBootstrap

@Suite struct WorkerChoiceTests {
    private let choice = WorkerChoice(
        [("web-1", "1-aa"), ("web-10", "1-ab"), ("web-10", "2-ac"), ("mail", "7-ad")].map { host, rest in
            API.Worker(
                name: "\(host)/\(rest)", host: host, version: "1", queues: [], state: "running", slotsUsed: 0, slots: 1,
                startedAt: .distantPast, heardAt: .distantPast)
        })

    @Test(arguments: [
        ("web-1/1-aa", "web-1/1-aa"), ("web-1", "web-1/1-aa"), ("web-10/2", "web-10/2-ac"), ("m", "mail/7-ad"),
    ])
    func `a worker is named by its whole name, the beginning of it, or its host`(word: String, name: String) throws {
        #expect(try choice.name(for: word) == name)
    }

    @Test func `when several match, they are listed`() throws {
        let ofHost = #expect(throws: ProgramError.self) { try choice.name(for: "web-10") }
        #expect(ofHost?.exitCode == .usage)
        #expect(ofHost?.description == "'web-10' is one of 2 workers: name web-10/1-ab, web-10/2-ac")
        let beginning = #expect(throws: ProgramError.self) { try choice.name(for: "web") }
        #expect(beginning?.description == "'web' is one of 3 workers: name web-1/1-aa, web-10/1-ab, web-10/2-ac")
    }

    @Test func `when none matches, the most similar one is suggested`() throws {
        let error = #expect(throws: ProgramError.self) { try choice.name(for: "maul") }
        #expect(error?.exitCode == .noInput && error?.description.hasSuffix("; did you mean 'mail'?") == true)
        let strange = #expect(throws: ProgramError.self) { try choice.name(for: "something-else") }
        #expect(strange?.description.hasSuffix("'uploadctl workers' lists them") == true)
    }

    @Test func `what is ordered is reported for each worker`() {
        let order = UploadOrder(.drainWorkers(["a", "b"]), by: "jo")
        let answer = OrderAnswer(order: order.id, matched: 2, done: 2)
        let report = OrderReport(answer, to: order, waited: 5, printsJSON: false)
        #expect(report.output == ["worker a hands its jobs over", "worker b hands its jobs over"])
        #expect(report.errors.isEmpty && report.exitCode == .done)
        let rows = OrderReport(answer, to: order, waited: 5, printsJSON: true).output
        #expect(rows.first == #"{"done":true,"verb":"drainWorker","worker":"a"}"#)
        let dry = OrderReport(dryRunOf: .resumeWorkers(["a"]), printsJSON: false)
        #expect(dry.output == ["resume worker a"])
        #expect(
            OrderReport(dryRunOf: .resumeWorkers(["a"]), printsJSON: true).output == [
                #"{"verb":"resumeWorker","workers":["a"]}"#
            ])
    }

    @Test func `names out of bounds are refused`() {
        for names in [[""], [String(repeating: "w", count: 301)], Array(repeating: "w", count: 101)] {
            let error = #expect(throws: ProgramError.self) { try OrderOptions.workers(names) }
            #expect(error?.exitCode == .usage)
        }
    }
}

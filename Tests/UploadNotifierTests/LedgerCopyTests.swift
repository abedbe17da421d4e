import Foundation
import GRDB
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Copies of a ledger", .timeLimit(.minutes(10)))
struct LedgerCopyTests {
    enum Kind: String, CaseIterable, Sendable {
        case file, server
    }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A place of its own for a new ledger.
    private func makePlace(_ kind: Kind) async throws -> LedgerPlace {
        let name = "copy_" + UUID().uuidString.replacing("-", with: "").lowercased()
        guard kind == .server else { return .file(path: scratch.file("\(name).sqlite")) }
        let node = try await PostgreSQLNode.shared()
        let client = PostgreSQLClient(try PostgreSQLConfiguration(node.url), connections: 1)
        try await client.execute(Statement(stringLiteral: "CREATE DATABASE \(name)"))
        await client.close()
        return .postgreSQL(url: "postgres://upload:secret@127.0.0.1:\(node.port)/\(name)", password: nil)
    }

    private func use<Value>(
        _ place: LedgerPlace, _ body: (any FilledLedger.Ports) async throws -> Value
    ) async throws -> Value {
        let ledger = try #require(try await place.openIfFree(logger: quiet) as? any FilledLedger.Ports)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(ledger)) } catch { outcome = .failure(error) }
        try await ledger.close()
        return try outcome.get()
    }

    private func makeSource(_ kind: Kind) async throws -> (LedgerPlace, FilledLedger, LedgerAnswers) {
        let place = try await makePlace(kind)
        let (filled, answers) = try await use(place) { ledger in
            let filled = try await FilledLedger(ledger)
            return (filled, try await LedgerAnswers(ledger, filled))
        }
        return (place, filled, answers)
    }

    private func answers(of place: LedgerPlace, _ filled: FilledLedger) async throws -> LedgerAnswers {
        try await use(place) { try await LedgerAnswers($0, filled) }
    }

    private func copy(_ source: LedgerPlace, _ destination: LedgerPlace) async throws {
        let tables = try await LedgerCopy.run(from: source, to: destination, logger: quiet)
        #expect(tables.map(\.name) == LedgerTable.all.map(\.name))
        #expect(tables.allSatisfy { $0.count > 0 }, "\(tables.filter { $0.count == 0 }.map(\.name)) were not tested")
    }

    /// Copies in small pages.
    /// - Parameter change: makes another destination of the true one.
    private func copy(
        _ source: LedgerPlace, _ destination: LedgerPlace,
        _ change: @Sendable (any LedgerCopyDestination) -> any LedgerCopyDestination
    ) async throws(UploadError) {
        _ = try await source.withCopySource(quiet) { source throws(UploadError) in
            try await destination.withCopyDestination(quiet) { destination throws(UploadError) in
                try await LedgerCopy.copy(from: source, to: change(destination), pageCount: 3, quiet) { _ in }
            }
        }
    }

    // MARK: The same ledger

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `a copy answers every query as the original does, and goes on with greater numbers`(
        from: Kind, to: Kind
    ) async throws {
        let (source, filled, before) = try await makeSource(from)
        let destination = try await makePlace(to)
        try await copy(source, destination)
        try await answers(of: destination, filled).expectSame(as: before, "from \(from) to \(to)")
        try await use(destination) { ledger in
            let job = Sample.job(key: "new")
            _ = try await ledger.record(
                [.job(job, maybeRepeated: false), Sample.event(.failed, job), .unreadable(Data([1]), reason: "new")],
                view: ControlView(), routes: Sample.routes, now: Sample.start)
            let page = try await ledger.events(after: before.lastSequence, EventFilter(), limit: 10)
            #expect(page.events.map(\.event.job.id) == [job.id])
            let delivery = try #require(try await ledger.deliveries(DeliveryListing()).first)
            #expect(delivery.id > before.deliveries.map(\.id).max() ?? 0)
            let letter = try #require(try await ledger.unreadable(DeadLetterListing()).first)
            #expect(letter.id > before.letters.map(\.id).max() ?? 0)
            #expect(try await ledger.counts()[.failed] == (before.counts[.failed] ?? 0) + 1)
        }
    }

    @Test func `a ledger that goes to the server and back is the same`() async throws {
        let (source, filled, before) = try await makeSource(.file)
        let (server, back) = (try await makePlace(.server), try await makePlace(.file))
        let there = try await LedgerCopy.run(from: source, to: server, logger: quiet)
        let here = try await LedgerCopy.run(from: server, to: back, logger: quiet)
        #expect(there == here)
        try await answers(of: back, filled).expectSame(as: before, "there and back")
    }

    // MARK: Interruptions

    @Test(arguments: [(Kind.file, Kind.server), (Kind.server, Kind.file)])
    func `a copy that dies after each of its pages goes on, and is the same at its end`(
        from: Kind, to: Kind
    ) async throws {
        let (source, filled, before) = try await makeSource(from)
        let destination = try await makePlace(to)
        var deaths = 0
        while true {
            do {
                let isAfterCommit = deaths.isMultiple(of: 2)
                try await copy(source, destination) { MortalDestination($0, isAfterCommit: isAfterCommit) }
                break
            } catch {
                try #require(error.message == MortalDestination.death, "\(error)")
                deaths += 1
            }
            // Nothing opens the unfinished copy for another use.
            let error = await #expect(throws: UploadError.self) {
                _ = try await destination.openIfFree(logger: quiet)
            }
            #expect(error?.code == .misconfigured && error?.message.contains("uploadctl ledger copy") == true)
            await #expect(throws: UploadError.self) { _ = try await destination.reader() }
        }
        #expect(deaths > LedgerTable.all.count)
        try await answers(of: destination, filled).expectSame(as: before, "after \(deaths) deaths")
    }

    @Test(arguments: Kind.allCases) func `a copy that is cancelled goes on when it is run again`(to: Kind) async throws
    {
        let (source, filled, before) = try await makeSource(.file)
        let destination = try await makePlace(to)
        let copying = Task {
            try await LedgerCopy.run(from: source, to: destination, logger: quiet) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let error = await #expect(throws: UploadError.self) { try await copying.value }
        #expect(error?.code == .interrupted)
        try await copy(source, destination)
        try await answers(of: destination, filled).expectSame(as: before, "after a cancellation")
    }

    @Test(arguments: Kind.allCases)
    func `a copy starts over when a notifier has worked with the source since`(to: Kind) async throws {
        let (source, filled, _) = try await makeSource(.file)
        let destination = try await makePlace(to)
        await #expect(throws: UploadError.self) {
            try await copy(source, destination) { MortalDestination($0, isAfterCommit: true, pages: 20) }
        }
        try await use(source) { ledger in
            try await ledger.noteOpened(UUID())
            _ = try await ledger.prune(endedBefore: Sample.start + 1, besides: ControlView(), limit: 1)
            _ = try await ledger.record(
                [.job(Sample.job(key: "since"), maybeRepeated: false)], view: ControlView(), routes: [],
                now: Sample.start)
        }
        let before = try await answers(of: source, filled)
        try await copy(source, destination)
        try await answers(of: destination, filled).expectSame(as: before, "after a new beginning")
    }

    // MARK: Refusals

    @Test(arguments: Kind.allCases) func `a ledger with rows is no destination, and keeps them`(to: Kind) async throws {
        let (source, _, _) = try await makeSource(.file)
        let destination = try await makePlace(to)
        let job = Sample.job()
        try await use(destination) { ledger in
            _ = try await ledger.record(
                [.job(job, maybeRepeated: false)], view: ControlView(), routes: [], now: Sample.start)
        }
        let error = await #expect(throws: UploadError.self) { try await copy(source, destination) }
        #expect(error?.code == .rejected && error?.message.contains("name a new destination") == true)
        let status = try await use(destination) { try await $0.job(job.id)?.status }
        #expect(status == .queued)
    }

    @Test(arguments: Kind.allCases) func `an unfinished copy of another ledger is refused`(to: Kind) async throws {
        let (source, _, _) = try await makeSource(.file)
        let (other, _, _) = try await makeSource(.file)
        let destination = try await makePlace(to)
        await #expect(throws: UploadError.self) {
            try await copy(source, destination) { MortalDestination($0, isAfterCommit: true) }
        }
        let error = await #expect(throws: UploadError.self) { try await copy(other, destination) }
        #expect(error?.code == .rejected && error?.message.contains("unfinished copy of another ledger") == true)
        try await copy(source, destination)
    }

    @Test(arguments: Kind.allCases) func `a ledger in use is neither copied nor filled`(kind: Kind) async throws {
        let (used, free) = (try await makePlace(kind), try await makePlace(.file))
        try await use(free) { _ in }
        try await use(used) { _ in
            for (source, destination) in [(used, free), (free, used)] {
                let error = await #expect(throws: UploadError.self) { try await copy(source, destination) }
                #expect(error?.code == .misconfigured)
            }
        }
        await #expect(throws: UploadError.self) { try await copy(used, used) }
    }

    @Test(arguments: Kind.allCases) func `a source that is not there is refused, and not made`(kind: Kind) async throws
    {
        let (source, destination) = (try await makePlace(kind), try await makePlace(.file))
        for _ in 0..<2 {
            let error = await #expect(throws: UploadError.self) { try await copy(source, destination) }
            #expect(error?.code == .misconfigured)
        }
        await #expect(throws: UploadError.self) { _ = try await source.reader() }
    }

    // MARK: The comparison

    @Test(arguments: Kind.allCases, ["jobs", "events", "deliveries", "throughput"])
    func `a row that differs at the destination is noticed, and the copy stays unfinished`(
        to: Kind, table: String
    ) async throws {
        let (source, _, _) = try await makeSource(.file)
        let destination = try await makePlace(to)
        // Rows of other tables name jobs and deliveries, and cannot be written without them.
        for loses in ["events", "throughput"].contains(table) ? [false, true] : [false] {
            let destination = loses ? try await makePlace(to) : destination
            let error = await #expect(throws: UploadError.self) {
                try await copy(source, destination) { FaultyDestination($0, table: table, loses: loses) }
            }
            #expect(error?.code == .checksumMismatch, "\(String(describing: error))")
            #expect(error?.message.contains("'\(table)'") == true)
            await #expect(throws: UploadError.self) { _ = try await destination.openIfFree(logger: quiet) }
        }
    }
}

/// A destination whose process dies with the page after some others.
private final class MortalDestination: LedgerCopyDestination {
    static let death = "the process died"

    private let destination: any LedgerCopyDestination
    private let isAfterCommit: Bool
    private let pagesLeft: Box<Int>

    /// - Parameter isAfterCommit: whether the last page is written.
    init(_ destination: any LedgerCopyDestination, isAfterCommit: Bool, pages: Int = 1) {
        (self.destination, self.isAfterCommit, pagesLeft) = (destination, isAfterCommit, Box(pages))
    }

    var path: String { destination.path }
    func count(of table: LedgerTable) async throws(UploadError) -> Int { try await destination.count(of: table) }
    func page(of table: LedgerTable, after key: LedgerRow, limit: Int) async throws(UploadError) -> [LedgerRow] {
        try await destination.page(of: table, after: key, limit: limit)
    }
    func mark() async throws(UploadError) -> CopyMark? { try await destination.mark() }
    func begin(_ mark: CopyMark) async throws(UploadError) { try await destination.begin(mark) }
    func restart(_ mark: CopyMark) async throws(UploadError) { try await destination.restart(mark) }
    func finish(_ identity: LedgerIdentity, numbers: [String: Int64]) async throws(UploadError) {
        try await destination.finish(identity, numbers: numbers)
    }

    func write(
        _ rows: [LedgerRow], to table: LedgerTable, emptying: Bool, _ mark: CopyMark
    ) async throws(UploadError) {
        let isLast = pagesLeft.value == 0
        pagesLeft.change { $0 -= 1 }
        if !isLast || isAfterCommit { try await destination.write(rows, to: table, emptying: emptying, mark) }
        if isLast { throw UploadError(.unknown, Self.death) }
    }
}

/// A destination that changes or loses the last row of each page of a table.
private struct FaultyDestination: LedgerCopyDestination {
    private let destination: any LedgerCopyDestination
    private let table: String
    private let loses: Bool

    init(_ destination: any LedgerCopyDestination, table: String, loses: Bool) {
        (self.destination, self.table, self.loses) = (destination, table, loses)
    }

    var path: String { destination.path }
    func count(of table: LedgerTable) async throws(UploadError) -> Int { try await destination.count(of: table) }
    func page(of table: LedgerTable, after key: LedgerRow, limit: Int) async throws(UploadError) -> [LedgerRow] {
        try await destination.page(of: table, after: key, limit: limit)
    }
    func mark() async throws(UploadError) -> CopyMark? { try await destination.mark() }
    func begin(_ mark: CopyMark) async throws(UploadError) { try await destination.begin(mark) }
    func restart(_ mark: CopyMark) async throws(UploadError) { try await destination.restart(mark) }
    func finish(_ identity: LedgerIdentity, numbers: [String: Int64]) async throws(UploadError) {
        try await destination.finish(identity, numbers: numbers)
    }

    func write(
        _ rows: [LedgerRow], to table: LedgerTable, emptying: Bool, _ mark: CopyMark
    ) async throws(UploadError) {
        var rows = rows
        if table.name == self.table, let last = rows.popLast(), !loses { rows.append(Self.changed(last, table)) }
        try await destination.write(rows, to: table, emptying: emptying, mark)
    }

    private static func changed(_ row: LedgerRow, _ table: LedgerTable) -> LedgerRow {
        var row = row
        let index = table.columns.lastIndex { !$0.isDerived && !table.key.contains($0.name) && $0.name != "over" }
        guard let index else { return row }
        switch row[index] {
        case .bytes(let bytes): row[index] = .bytes(bytes + [0])
        case .integer(let number): row[index] = .integer(number + 1)
        case .real(let number): row[index] = .real(number + 1)
        case .text(let text): row[index] = .text(text + "!")
        case .boolean(let isTrue): row[index] = .boolean(!isTrue)
        case .null: row[index] = table.columns[index].kind == .real ? .real(1) : .null
        }
        return row
    }
}

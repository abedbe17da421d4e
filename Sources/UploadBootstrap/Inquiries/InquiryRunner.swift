import Foundation
import NIOCore
import NIOHTTP1
import Uploads
import UploadsAPI

/// Asks the notifier, and shows the answer: as text for people, or as JSON for programs.
struct InquiryRunner: Sendable {
    let client: NotifierClient
    let format: OutputFormat
    let results: ResultWriter
    /// Whether tables have a head.
    let printsHead: Bool
    let time: LocalTime

    init(
        client: NotifierClient, format: OutputFormat = .table, hasRows: Bool = false, printsHead: Bool = true,
        time: LocalTime
    ) {
        self.client = client
        self.format = format
        results = ResultWriter(format, isList: hasRows)
        self.printsHead = printsHead
        self.time = time
    }

    var printsJSON: Bool { format.isJSON }

    func answer(_ inquiry: Inquiry) async throws -> ExitCode {
        let code: ExitCode
        do {
            code = try await show(inquiry)
        } catch {
            // The array of a list that breaks off has no end, so that no reader takes it for the whole list.
            if !inquiry.isList { results.end(isWhole: false) }
            throw error
        }
        if printsJSON { results.end() }
        if inquiry.isOfState, let reason = await client.unreadiness() {
            Console.error(
                line: "uploadctl: this may be old, for the notifier is not ready: \(PlainText.safe(reason))")
        }
        return code
    }

    private func show(_ inquiry: Inquiry) async throws -> ExitCode {
        switch inquiry {
        case .jobs(let filter):
            let isEmpty = try await list(
                "/v1/jobs", try filter.query(), limit: filter.limit, page: 200, cursor: "after"
            ) { (jobs: [API.Job]) in Table(jobs, time) }
            guard isEmpty else { break }
            await doubt(filter.queue, "queue", in: "/v1/queues")
            await doubt(filter.destination, "destination", in: "/v1/destinations")
        case .job(let id): try await job(id)
        case .failures(let choice): try await failures(choice)
        case .queues: try await list("/v1/queues") { (queues: [API.Queue]) in Table(queues, time) }
        case .queue(let name): try await queue(name)
        case .delegates: try await delegates()
        case .delegate(.test, let name):
            return try await suggesting(name, from: "/v1/delegates") { try await test(name) }
        case .delegate(let verb, let name):
            try await suggesting(name, from: "/v1/delegates") { try await set(name, verb) }
        case .registration(let order): return try await carryOut(order)
        case .replay(let name, let from, let to):
            try await suggesting(name, from: "/v1/delegates") { try await replay(name, from, to) }
        case .deliveries(let choice): try await deliveries(choice)
        case .delivery(let id): try await delivery(id)
        case .replayDeliveries(let ids): return try await replay(deliveries: ids)
        case .line(let queue, let limit):
            try await list("/v1/queues/\(queue)/line", limit: limit, page: 200, cursor: "after") {
                (line: [API.LineEntry]) in Table(line, time)
            }
        case .deadLetters(let filter, let status, let limit):
            let query = filter.fields + (status.map { [("status", $0.rawValue)] } ?? [])
            try await list("/v1/dead-letters", query, limit: limit, page: 100, cursor: "before") {
                (letters: [API.DeadLetter]) in Table(letters, time)
            }
        case .replayLetters(let ids): return try await replay(ids)
        case .replayMatching(let filter, let isConfirmed):
            return try await replay(filter, isConfirmed: isConfirmed)
        case .deadLetter(let id): try await deadLetter(id)
        case .discard(let ids, let isConfirmed): return try await discard(ids, isConfirmed: isConfirmed)
        case .destinations:
            try await list("/v1/destinations") { (destinations: [API.Destination]) in Table(destinations, time) }
        case .workers:
            try await list("/v1/workers", none: "there are none; one that runs is shown within 10 s") {
                (workers: [API.Worker]) in Table(workers, time)
            }
        case .audit(let choice):
            try await list("/v1/audit", try choice.query(), limit: choice.limit, page: 200, cursor: "before") {
                (entries: [API.AuditEntry]) in Table(entries, time)
            }
        case .backUp(let path): try await backUp(to: path)
        // `uploadctl watch`, which makes its own client without a read timeout.
        case .watch(let choice):
            return try await EventWatch(client: client, choice: choice, printsJSON: printsJSON).run()
        case .wait(let choice):
            var wait = JobWait(client: client, choice: choice, json: printsJSON ? results : nil)
            return try await wait.run()
        }
        return .done
    }

    // MARK: Lists

    /// What is said of an empty list.
    static let none = "there are none"

    /// Shows a list that the API answers page by page.
    /// - Returns: whether it is empty.
    @discardableResult
    func list<Item: Decodable>(
        _ path: String, _ query: [(name: String, value: String)] = [], limit: Int, page: Int, cursor: String,
        _ table: ([Item]) -> Table
    ) async throws -> Bool {
        if printsJSON {
            var isEmpty = true
            try await client.pages(path, query, limit: limit, page: page, cursor: cursor) { (items: [JSONValue]) in
                isEmpty = isEmpty && items.isEmpty
                return try items.allSatisfy { try results.write(json: $0) }
            }
            return isEmpty
        }
        let items: [Item] = try await client.items(path, query, limit: limit, page: page, cursor: cursor)
        show(table(items))
        return items.isEmpty
    }

    /// Shows a list that the API answers as a whole.
    func list<Item: Decodable>(
        _ path: String, _ query: [(name: String, value: String)] = [], none: String = InquiryRunner.none,
        _ table: ([Item]) -> Table
    ) async throws {
        if printsJSON {
            for item in try await client.ask(.GET, path, query, as: ListPage<JSONValue>.self).items { try show(item) }
        } else {
            show(table(try await client.ask(.GET, path, query, as: ListPage<Item>.self).items), none: none)
        }
    }

    /// Below the table, a line for each group runs its jobs again.
    private func failures(_ choice: FailureChoice) async throws {
        let (path, query) = ("/v1/failures", try choice.query())
        if printsJSON {
            return try await list(path, query) { (groups: [API.FailureGroup]) in Table(groups, time) }
        }
        let groups = try await client.ask(.GET, path, query, as: ListPage<API.FailureGroup>.self).items
        show(Table(groups, time))
        guard !groups.isEmpty else { return await doubt(choice.queue, "queue", in: "/v1/queues") }
        Console.output(line: "")
        for group in groups { Console.output(line: PlainText.safe(FailureChoice.command(for: group, query))) }
    }

    func show(_ table: Table, none: String = InquiryRunner.none) {
        guard !table.rows.isEmpty else { return say(none) }
        let isWide = format == .wide
        let width = isWide ? nil : Console.outputColumns
        for line in table.lines(width: width, hasHead: printsHead, isWide: isWide) { Console.output(line: line) }
    }

    // MARK: One object

    private func job(_ id: JobID) async throws {
        let path = "/v1/jobs/\(id)"
        if printsJSON { return try show(try await client.ask(.GET, path, as: JSONValue.self)) }
        let story = try await client.ask(.GET, path, as: API.JobStory.self)
        for line in story.lines(time, width: Console.outputColumns) { Console.output(line: line) }
    }

    private func deadLetter(_ id: Int64) async throws {
        let path = "/v1/dead-letters/\(id)"
        if printsJSON { return try show(try await client.ask(.GET, path, as: JSONValue.self)) }
        let letter = try await client.ask(.GET, path, as: API.DeadLetter.self)
        let size = Quantity.text(bytes: letter.bytes)
        Console.output(line: "\(letter.id)  \(time.text(letter.at))  \(size)  \(PlainText.safe(letter.reason))")
        for (name, value) in letter.facts(time) { Console.output(line: "  \(name): \(PlainText.safe(value))") }
        for line in (letter.body ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            Console.output(line: PlainText.safe(String(line)))
        }
    }

    /// The answer's fields for people; `-o json` passes on the answer as it came.
    func read<Model: Decodable>(_ answer: JSONValue, as model: Model.Type) throws -> Model {
        try WireJSON.decode(model, from: try WireJSON.encode(answer))
    }

    func show(_ value: JSONValue) throws { try results.write(json: value) }

    func say(_ line: String) { Console.error(line: "uploadctl: \(PlainText.safe(line))") }
}

extension Inquiry {
    /// Whether the answer depends on how far the notifier has recorded.
    fileprivate var isOfState: Bool {
        switch self {
        case .jobs, .job, .failures, .queues, .queue, .line: true
        default: false
        }
    }
}

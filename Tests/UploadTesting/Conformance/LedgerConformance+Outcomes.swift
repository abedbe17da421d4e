import Foundation
import Testing
import Uploads

/// Rules of the tables for events, outcomes, apps, orders and what is owed.
extension LedgerConformance {
    static let outcomes = [
        StoreRule("the same event twice changes nothing") { tables in
            let job = makeJob("a")
            let first = outcome(of: job)
            var second = first
            second.time = start + 60
            let foreign = UploadEvent(id: "another program's", kind: .waiting, time: start, data: first.data)
            let (row, events) = (row(job, .completed), try [first, second, foreign].map(stored))
            let two = events[1]
            try await write(in: tables) {
                $0.jobs = [row]
                $0.events = events
            }
            try await write(in: tables) { $0.events = [two] }
            try await tables.transaction { store throws in
                #expect(try store.event(first.id, of: job.id) == first)
                #expect(try store.event(foreign.id, of: job.id) == foreign)
                #expect(try store.event("\(first.id).other", of: job.id) == nil)
                #expect(try store.event("", of: job.id) == nil)
                #expect(try store.event(first.id, of: JobID()) == nil)
            }
        },
        StoreRule("a delivery is told until it is made, and a publication until it is struck off") { tables in
            let (job, other) = (makeJob("a"), makeJob("b"))
            let event = outcome(of: job)
            let change = try told(event, to: ["hook"])
            #expect(try await read(tables) { try $0.untold(of: job.id) } == nil)
            let ids = try await write(in: tables) {
                $0 = change
                $0.owed = [LedgerChanges.Owed(job: other.id, action: .append(.lift([other.id])), source: nil)]
            }
            try await tables.transaction { store throws in
                #expect(try store.untold(of: job.id) == .delivery(delegate: "hook"))
                #expect(try store.untold(of: other.id) == .publication)
                try store.strikeOff(ids)
                #expect(try store.untold(of: other.id) == nil)
                #expect(try store.untold(of: job.id) == .delivery(delegate: "hook"))
            }
        },
        StoreRule("an app is registered once, and is counted by the beginning of its name") { tables in
            let clients = ["one", "two"]
            let names = try clients.map { try #require(ClientDelegate.name(of: $0)) }
            #expect(try await read(tables) { try $0.registration(of: names[0]) } == .unknown)
            #expect(try await read(tables) { try $0.registrationCount(prefix: ClientDelegate.prefix) } == 0)
            try await write(in: tables) { $0.apps = [names[0]: clients[0]] }
            try await write(in: tables) { $0.apps = [names[1]: clients[1]] }
            try await tables.transaction { store throws in
                #expect(try store.registration(of: names[0]) == .registered)
                #expect(try store.registration(of: names[1]) == .registered)
                #expect(try store.registration(of: "hook") == .unknown)
                #expect(try store.registrationCount(prefix: ClientDelegate.prefix) == 2)
                #expect(try store.registrationCount(prefix: names[0]) == 1)
                #expect(try store.registrationCount(prefix: "hook") == 0)
                #expect(try store.registrationCount(prefix: "") == 2)
            }
        },
        StoreRule("what is owed is there in the order in which it was noted, until it is struck off") { tables in
            let (job, unknown) = (makeJob("a"), makeJob("b"))
            let (event, known) = (outcome(of: job), row(job, .completed))
            let marker = IssueMarker(job: job.id, round: 1, generation: 2)
            let baton = Baton(job: unknown)
            let recorded = try stored(event)
            let first = try await write(in: tables) {
                $0.jobs = [known]
                $0.events = [recorded]
                $0.owed = [
                    LedgerChanges.Owed(job: job.id, action: .outcome(event.told), source: event.id),
                    LedgerChanges.Owed(job: job.id, action: .mark(marker), source: nil),
                ]
            }
            let second = try await write(in: tables) {
                $0.owed = [
                    LedgerChanges.Owed(
                        job: unknown.id, action: .issue(baton, lane: .urgent, maybeRepeated: false), source: nil),
                    LedgerChanges.Owed(
                        job: OwedAction.sharedJob, action: .append(.queueStopped(.standard)), source: nil),
                ]
            }
            let ids = first + second
            #expect(first.count == 2 && second.count == 2 && ids == ids.sorted() && Set(ids).count == 4)
            try await tables.transaction { store throws in
                let owed = try store.owed()
                #expect(owed.map(\.id) == ids)
                #expect(owed.map(\.job) == [job.id, job.id, unknown.id, OwedAction.sharedJob].map(\.rawValue))
                // A repeated baton says so, since the first may have arrived.
                #expect(
                    try owed.map { try $0.action.get() } == [
                        .outcome(event.told), .mark(marker), .issue(baton, lane: .urgent, maybeRepeated: true),
                        .append(.queueStopped(.standard)),
                    ])
                let jobs = owed.map { if case .job(let job)? = $0.known { job } else { nil as LedgerJob? } }
                #expect(jobs == [known.job, known.job, nil, nil])
                try store.strikeOff([ids[0], ids[2], ids[3] + 1000])
                #expect(try store.owed().map(\.id) == [ids[1], ids[3]])
                try store.strikeOff([])
                try store.strikeOff([ids[1], ids[3]])
                #expect(try store.owed().isEmpty)
            }
            let third = try await write(in: tables) {
                $0.owed = [LedgerChanges.Owed(job: job.id, action: .mark(marker), source: nil)]
            }
            #expect(third.allSatisfy { $0 > ids[3] }, "an id is not given twice")
        },
        StoreRule("the progress of an order is that which was written last") { tables in
            let orders = [Verb.cancel, .pause].map { UploadOrder(.jobs($0, [JobID()]), by: "jo", at: start) }
            let ids = orders.map(\.id)
            var progress = OrderProgress(OrderAnswer(order: ids[0]))
            let begun = progress
            try await write(in: tables) { $0.order = LedgerChanges.Order(orders[0], begun) }
            #expect(try await read(tables) { try $0.progress(of: ids[0]) } == begun)
            #expect(try await read(tables) { try $0.progress(of: ids[1]) } == nil)
            progress.answer.add([OrderAnswer.Job(id: JobID(), reason: "it has ended")])
            (progress.after, progress.isDone) = (JobID(), true)
            let done = progress
            try await write(in: tables) { $0.order = LedgerChanges.Order(orders[0], done) }
            try await write(in: tables) {
                $0.order = LedgerChanges.Order(orders[1], OrderProgress(OrderAnswer(order: ids[1])))
            }
            #expect(try await read(tables) { try $0.progress(of: ids[0]) } == done)
            #expect(try await read(tables) { try $0.progress(of: ids[1]) }?.isDone == false)
        },
        StoreRule("of a forgotten job only that it ended stays") { tables in
            var order = makeJob("anna")
            order.metadata = ["owner": "anna"]
            order.destination = .url("https://host.example/a?signature=hidden")
            let neighbour = makeJob("b")
            let (ended, other) = (outcome(of: order), outcome(of: neighbour))
            let begun = UploadEvent(kind: .started, of: Baton(job: order), at: start)
            var kept = row(order, .completed, original: try WireJSON.encode(order))
            kept.job.end = RoundEnd(kind: .completed, event: ended.id, at: start)
            let (first, second) = (kept, row(neighbour, .completed))
            let events = try [begun, ended, other].map(stored)
            try await write(in: tables) {
                $0.jobs = [first, second]
                $0.events = events
            }
            let forgotten = kept.job.forgotten(at: start + 60)
            try await write(in: tables) {
                $0.jobs = [LedgerChanges.Job(forgotten, before: first.job, original: nil)]
                $0.forgotten = [forgotten]
            }
            let id = order.id
            try await tables.transaction { store throws in
                #expect(try known(id, in: store) == forgotten)
                #expect(try store.originalOrder(of: id) == nil)
                #expect(try store.event(begun.id, of: id) == nil)
                #expect(try store.event(ended.id, of: id) == ended.forgotten)
                #expect(try store.event(other.id, of: neighbour.id) == other)
            }
        },
    ]

    /// What only a ledger's other ports can show.
    static let storedOnce = [
        Rule("the same event, delivery or letter twice is there once; of a letter the reason and the id count too") {
            suite in
            let ledger = try await suite.make()
            let event = outcome(of: makeJob("a"))
            var change = try told(event, to: ["hook", "other"])
            change.letters = [
                LedgerChanges.Letter(Data("{".utf8), reason: "no JSON", MessageEnvelope(messageID: "a")),
                LedgerChanges.Letter(Data("{".utf8), reason: "no job", MessageEnvelope(messageID: "a")),
                LedgerChanges.Letter(Data("{".utf8), reason: "no JSON", MessageEnvelope(messageID: "b")),
                LedgerChanges.Letter(Data("[".utf8), reason: "no JSON", nil),
            ]
            let first = change
            change.jobs = []
            let once = change
            for change in [first, once] { try await write(in: ledger) { $0 = change } }
            try await write(in: ledger) {
                $0 = once
                $0.events += once.events
                $0.deliveries += once.deliveries
                $0.letters += once.letters
            }
            #expect(try await ledger.events(of: event.job.id) == [event])
            #expect(try await ledger.statuses().map(\.delegate) == ["hook", "other"])
            #expect(try await ledger.statuses().map(\.backlog) == [1, 1])
            let letters = try await ledger.unreadable(DeadLetterListing())
            #expect(letters.map(\.reason) == ["no JSON", "no JSON", "no job", "no JSON"])
            #expect(letters.map(\.envelope?.messageID) == [nil, "b", "a", "a"])
            // One that comes again after it was published again is another letter.
            #expect(try await ledger.noteReplayed(letters[0].id, at: start, by: "jo"))
            try await write(in: ledger) { $0.letters = once.letters }
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 5)
            #expect(try await ledger.unreadableCount(DeadLetterListing(isReplayed: true)) == 1)
        },
        Rule("a delegate that is being removed is not registered, and is unknown when it is gone") { suite in
            let ledger = try await suite.make()
            let definition = Data(#"{"kind":"log"}"#.utf8)
            try await ledger.register(
                DelegateRegistration(name: "extra", definition: definition, createdAt: start, changedAt: start))
            func phase() async throws -> RegistrationPhase {
                try await ledger.transaction { try $0.registration(of: "extra") }
            }
            #expect(try await phase() == .registered)
            let event = outcome(of: makeJob("a"))
            let change = try told(event, to: ["extra"])
            try await write(in: ledger) { $0 = change }
            #expect(try await ledger.unregister("extra", discarding: true, at: start) == 1)
            #expect(try await phase() == .removed)
            #expect(try await ledger.forget("extra") == 1)
            #expect(try await phase() == .unknown)
            #expect(try await ledger.transaction { try $0.untold(of: event.job.id) } == nil)
        },
    ]

    private static func outcome(of job: UploadJob) -> UploadEvent {
        var event = UploadEvent(kind: .completed, of: Baton(job: job), at: start)
        event.trace = TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        return event
    }

    private static func stored(_ event: UploadEvent) throws -> LedgerChanges.Event {
        LedgerChanges.Event(event, body: try WireJSON.encode(event))
    }

    /// An outcome with its deliveries.
    private static func told(_ event: UploadEvent, to delegates: [String]) throws -> LedgerChanges {
        var changes = LedgerChanges()
        changes.jobs = [row(event.job, .completed)]
        changes.events = [try stored(event)]
        changes.deliveries = delegates.map {
            LedgerChanges.Delivery(delegate: $0, outcome: event.told.id, job: event.job.id, event: event.id)
        }
        return changes
    }
}

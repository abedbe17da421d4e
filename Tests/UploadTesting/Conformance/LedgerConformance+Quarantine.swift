import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Messages that cannot be read or recorded.
    static let quarantine = [
        Rule("a message that cannot be recorded is kept as a dead letter, and the others are recorded") { suite in
            let ledger = try await suite.make()
            let good = (0..<3).map { makeJob("good-\($0)") }
            let strange = makeJob("strange")
            let messages = [
                event(.completed, good[0]), unrecordable(strange), event(.suspect, good[1]), event(.completed, good[2]),
            ]
            let error = await #expect(throws: UploadError.self) { _ = try await record(messages, in: ledger) }
            #expect(error.map { LedgerFailure.isOfOne($0) } == true)
            #expect(try await ledger.jobs(LedgerFilter()).jobs.isEmpty)
            #expect(try await ledger.lastSequence() == 0)
            #expect(try await ledger.owed().isEmpty)

            let recording = try await recordSingly(messages, in: ledger)
            #expect(recording.owed.map(\.job) == good.map(\.id))
            #expect(try await ledger.owed() == recording.owed)
            #expect(try await ledger.counts() == [.queued: 1, .completed: 2])
            #expect(try await ledger.status(of: "hook").backlog == 2)
            let refusal = try #require(recording.refusals.first)
            #expect(recording.refusals.count == 1 && refusal.job == strange.id)
            #expect(refusal.reason.hasPrefix("the ledger cannot record a message of job \(strange.id): "))
            let letters = try await ledger.unreadable(before: nil, limit: 10)
            #expect(letters.map(\.reason) == [refusal.reason])
            #expect(letters.map(\.body) == [Data("of \(strange.id)".utf8)])
            #expect(letters.map(\.envelope) == [MessageEnvelope(type: "copy", messageID: strange.id.rawValue)])
            #expect(letters.map(\.at) == [start])
            #expect(try await ledger.job(strange.id) == nil, "nothing is left of what was not recorded")
            #expect(try await ledger.events(of: strange.id).isEmpty)
        },
        Rule("a message that cannot be recorded is kept once, however often it comes") { suite in
            let ledger = try await suite.make()
            let strange = makeJob("strange")
            for _ in 0..<3 {
                let recording = try await recordSingly([unrecordable(strange)], in: ledger)
                #expect(recording.owed.isEmpty && recording.refusals.map(\.job) == [strange.id])
            }
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 1)
            let other = makeJob("other")
            #expect(try await recordSingly([unrecordable(other)], in: ledger).refusals.map(\.job) == [other.id])
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 2)
        },
        Rule("an unreadable message that comes again in another batch is kept once, and with another reason twice") {
            suite in
            let ledger = try await suite.make()
            let message = NotifierMessage.unreadable(Data("{".utf8), reason: "no JSON")
            try await record([message], in: ledger)
            try await record([message, .unreadable(Data("[".utf8), reason: "no JSON")], in: ledger)
            #expect(
                try await ledger.unreadable(before: nil, limit: 10).map(\.body) == ["[", "{"].map { Data($0.utf8) })
            try await record([.unreadable(Data("{".utf8), reason: "not for us")], in: ledger)
            #expect(
                try await ledger.unreadable(before: nil, limit: 10).map(\.reason) == [
                    "not for us", "no JSON", "no JSON",
                ])
        },
        Rule("reason, body and envelope of any size and kind can be kept") { suite in
            let ledger = try await suite.make()
            let envelope = MessageEnvelope(type: "x", headers: ["far": .number(.infinity)])
            try await record(
                [
                    .unreadable(
                        Data(repeating: 1, count: WireLimits.bodyBytesMaximum + 1),
                        reason: String(repeating: "lóng\0", count: 100_000), envelope: envelope)
                ], in: ledger)
            let letter = try #require(try await ledger.unreadable(before: nil, limit: 10).first)
            #expect(letter.reason.hasPrefix("lóng"))
            #expect(letter.reason.utf8.count <= UnreadableMessage.reasonBytesMaximum)
            #expect(letter.size == WireLimits.bodyBytesMaximum + 1 && !letter.isWhole)
            #expect(letter.envelope == MessageEnvelope(type: "x"), "what JSON cannot say is left out")
        },
        Rule("the largest message that a reader takes is kept whole, and listed with its beginning") { suite in
            let ledger = try await suite.make()
            let body = Data((0..<WireLimits.bodyBytesMaximum).map { UInt8(truncatingIfNeeded: $0 / 7) })
            try await record([.unreadable(body, reason: "an index is missing")], in: ledger)
            let listed = try #require(try await ledger.unreadable(before: nil, limit: 10).first)
            #expect(listed.body == body.prefix(DeadLetterListing.bodyBytesMaximum) && listed.size == body.count)
            let letter = try #require(try await ledger.unreadable(listed.id))
            #expect(letter.isWhole && letter.body == body)
        },
        Rule("a message without a body is listed like any other") { suite in
            let ledger = try await suite.make()
            try await record([.unreadable(Data(), reason: "no JSON")], in: ledger)
            let letter = try #require(try await ledger.unreadable(before: nil, limit: 10).first)
            #expect(letter.body.isEmpty && letter.size == 0 && letter.reason == "no JSON")
            #expect(try await ledger.unreadable(letter.id) == letter)
        },
        Rule("an envelope is kept with all that is needed to publish the message again") { suite in
            let ledger = try await suite.make()
            var envelope = MessageEnvelope(
                type: "upload.job.v1", contentType: "application/json", messageID: "id",
                headers: ["x-text": .string("a\0b"), "x-flag": .bool(true)], queue: "upload.jobs", exchange: "",
                routingKey: "key", replayOf: 7, isRedacted: true)
            envelope.contentEncoding = "identity"
            envelope.correlationID = "other"
            envelope.appID = "app"
            let body = Data([0xFF, 0x00, 0x27, 0x5C])
            try await record([.unreadable(body, reason: "it's \"no\" JSON\\", envelope: envelope)], in: ledger)
            let letter = try #require(try await ledger.unreadable(before: nil, limit: 10).first)
            #expect(
                letter
                    == UnreadableMessage(
                        id: letter.id, at: start, reason: "it's \"no\" JSON\\", body: body, envelope: envelope))
        },
        // MARK: Replay
        Rule("a replay is noted once, with its time and a name") { suite in
            let ledger = try await suite.make()
            try await record([.unreadable(Data("{".utf8), reason: "no JSON")], in: ledger)
            let id = try #require(try await ledger.unreadable(before: nil, limit: 10).first?.id)
            let name = String(repeating: "j", count: UnreadableMessage.byCountMaximum)
            #expect(try await ledger.noteReplayed(id, at: start + 5, by: name + "o"))
            #expect(try await !ledger.noteReplayed(id, at: start + 6, by: "max"))
            #expect(try await !ledger.noteReplayed(id + 1000, at: start + 6, by: "max"))
            let letter = try #require(try await ledger.unreadable(id))
            #expect(letter.replayedAt == start + 5 && letter.replayedBy == name)
            #expect(try await ledger.unreadable(id + 1000) == nil)
        },
        Rule("a letter that comes back is a new letter, also before its replay is noted, and has a number of its own") {
            suite in
            let ledger = try await suite.make()
            func letter(replayOf: UnreadableMessage.ID? = nil) -> NotifierMessage {
                .unreadable(
                    Data("{".utf8), reason: "no JSON", envelope: MessageEnvelope(type: "theirs", replayOf: replayOf))
            }
            try await record([letter(), letter()], in: ledger)
            let first = try #require(try await ledger.unreadable(before: nil, limit: 10).first?.id)
            try await record([letter(replayOf: first), letter(replayOf: first)], in: ledger)
            let found = try await ledger.unreadable(before: nil, limit: 10)
            try #require(found.map(\.envelope?.replayOf) == [first, nil])
            #expect(try await ledger.noteReplayed(first, at: start, by: "jo"))
            let back = found[0].id
            #expect(try await ledger.discardUnreadable(back))
            #expect(try await !ledger.discardUnreadable(back))
            // Its producer sends the same message once more.
            try await record([letter()], in: ledger)
            let left = try await ledger.unreadable(before: nil, limit: 10)
            try #require(left.count == 2)
            #expect(left[0].id > back && left[0].replayedAt == nil && left[1].id == first)
        },
        Rule("dead letters are listed by type, reason, time and replay, page by page, and counted on all pages") {
            suite in
            let ledger = try await suite.make()
            let letters: [(String, String, String?)] = [
                ("a", "no JSON", "upload.job.v1"), ("b", "an index is Missing", "upload.baton.v1"),
                ("c", "still No Json here", nil),
            ]
            for (index, (body, reason, type)) in letters.enumerated() {
                let message = NotifierMessage.unreadable(
                    Data(body.utf8), reason: reason, envelope: type.map { MessageEnvelope(type: $0) })
                _ = try await ledger.record(
                    [message], view: ControlView(), routes: [], now: start + 10 * Double(index))
            }
            let all = try await ledger.unreadable(DeadLetterListing())
            try #require(all.count == 3)
            #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
            #expect(try await ledger.noteReplayed(all[2].id, at: start + 60, by: "jo"))
            let expected: [(DeadLetterListing, String)] = [
                (DeadLetterListing(), "cba"), (DeadLetterListing(type: "upload.job.v1"), "a"),
                (DeadLetterListing(type: "upload.job"), ""), (DeadLetterListing(reason: "no json"), "ca"),
                (DeadLetterListing(reason: "MISSING"), "b"), (DeadLetterListing(reason: "n_ j%"), ""),
                (DeadLetterListing(since: start + 10), "cb"), (DeadLetterListing(until: start + 10), "a"),
                (DeadLetterListing(since: start + 10, until: start + 20), "b"),
                (DeadLetterListing(isReplayed: true), "a"), (DeadLetterListing(isReplayed: false), "cb"),
                (DeadLetterListing(isReplayed: false, reason: "no json"), "c"),
                (DeadLetterListing(type: "upload.job.v1", since: start + 1), ""),
            ]
            for (listing, bodies) in expected {
                let found = try await ledger.unreadable(listing).map { String(decoding: $0.body, as: UTF8.self) }
                #expect(found.joined() == bodies, "\(listing)")
                #expect(try await ledger.unreadableCount(listing) == bodies.count, "\(listing)")
            }
            let first = DeadLetterListing(limit: 2)
            #expect(try await ledger.unreadable(first).map(\.id) == all[..<2].map(\.id))
            #expect(try await ledger.unreadableCount(first) == 3)
            let second = DeadLetterListing(before: all[1].id, limit: 2)
            #expect(try await ledger.unreadable(second).map(\.id) == [all[2].id])
            #expect(try await ledger.unreadableCount(second) == 3)
        },
    ]

    /// An event with a value that JSON cannot express, and that no decoder can produce.
    private static func unrecordable(_ job: UploadJob) -> NotifierMessage {
        var event = UploadEvent(kind: .completed, of: Baton(job: job), at: start)
        event.data.baton.activeSeconds = .infinity
        return .event(event)
    }

    private static func recordSingly(
        _ messages: [NotifierMessage], in ledger: any Ports
    ) async throws -> SingleRecording {
        try await ledger.recordSingly(
            messages, view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: start
        ) { message in
            let job = message.job?.rawValue
            return MessageCopy(
                body: Data("of \(job ?? "none")".utf8), envelope: MessageEnvelope(type: "copy", messageID: job))
        }
    }
}

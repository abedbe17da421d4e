import Foundation
import Testing
import UploadsAPI
import UploadsRabbitMQ

@testable import UploadBootstrap

struct TableTests {
    private let table = Table(
        [
            .init(title: "ID"), .init(title: "SIZE", isNumber: true),
            .init(title: "TARGET", minimum: 8, keepsEnd: true), .init(title: "WHY", minimum: 6, dropOrder: 1),
        ],
        rows: [
            ["a1", "5 B", "photos:2026/11/21/cat.jpg", "networkFailure"], ["a2", "12.0 MiB", "archive:x", ""],
        ])

    @Test func `where there is room, columns are as wide as their content`() {
        #expect(
            table.lines(width: 80) == [
                "ID      SIZE  TARGET                     WHY",
                "a1       5 B  photos:2026/11/21/cat.jpg  networkFailure",
                "a2  12.0 MiB  archive:x",
            ])
    }

    @Test func `the widest column that may be cut is cut first, a path in its middle`() {
        let lines = table.lines(width: 45)
        #expect(lines[1].hasPrefix("a1       5 B  photo…"))
        #expect(lines[1].contains("cat.jpg  net"))
    }

    @Test(arguments: 24...200) func `no line is wider than the terminal`(width: Int) {
        #expect(table.lines(width: width).allSatisfy { PlainText.width($0) <= width })
    }

    @Test func `a column that may be left out goes before one that must stay whole is cut`() {
        let lines = table.lines(width: 26)
        #expect(!lines[0].contains("WHY"))
        #expect(lines[1].hasPrefix("a1 ") && lines[2].contains("12.0 MiB"))
    }

    @Test func `for a program that reads it a table has whole columns, and no head on request`() {
        let long = String(repeating: "x", count: 300)
        let table = Table([.init(title: "NAME", minimum: 4), .init(title: "SIZE", dropOrder: 1)], rows: [[long, "7"]])
        #expect(table.lines(width: nil).last == "\(long)  7" && table.lines(width: nil).count == 2)
        #expect(table.lines(width: nil, hasHead: false) == ["\(long)  7"])
    }

    @Test func `a wide table has columns that others do not have`() {
        let table = Table(
            [.init(title: "NAME"), .wide("SIZE", isNumber: true), .init(title: "AT")], rows: [["a", "7", "b"]])
        #expect(table.lines(width: nil) == ["NAME  AT", "a     b"])
        #expect(table.lines(width: nil, isWide: true) == ["NAME  SIZE  AT", "a        7  b"])
    }

    @Test(arguments: Longest.tables)
    func `every list has more columns when it is wide, and shows all of them`(name: String, table: Table) {
        let isWider = table.columns.contains(where: \.isWide)
        #expect(isWider, "\(name)")
        let head = table.lines(width: nil, isWide: true)[0]
        #expect(table.columns.allSatisfy { head.contains($0.title) }, "\(name): \(head)")
        #expect(table.rows.allSatisfy { $0.count == table.columns.count }, "\(name)")
    }

    @Test func `control characters are shown as replacement characters`() {
        let table = Table([.init(title: "NAME")], rows: [["a\u{1B}[2Jb\nc\u{202E}d"]])
        #expect(table.lines(width: 80)[1] == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d")
    }

    @Test func `wide characters count as two columns, marks as none`() {
        #expect(PlainText.width("写真") == 4)
        #expect(PlainText.width("e\u{301}") == 1)
        #expect(PlainText.width("📷") == 2)
        #expect(PlainText.cut("写真写真", to: 5) == "写真…")
    }

    @Test func `a list of jobs fits 80 columns with its ids whole`() throws {
        let id = "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"
        let job = API.Job.sample(
            id: id, status: "completed", queue: "a-queue-with-a-long-name", source: "staged:cat.jpg",
            target: "photos:" + String(repeating: "x/", count: 60) + "cat.jpg", size: 1000 << 20,
            enqueuedAt: Date(timeIntervalSince1970: 0))
        let lines = Table([job], LocalTime(now: Date(timeIntervalSince1970: 7200), zone: .gmt)).lines(width: 80)
        #expect(lines.allSatisfy { PlainText.width($0) <= 80 })
        #expect(lines[1].hasPrefix(id) && lines[1].contains("2h") && lines[1].hasSuffix("cat.jpg"))
    }

    @Test func `a queue shows its lanes that are not empty, and whether it has workers`() {
        let queue = API.Queue.sample(
            name: "video", isStopped: false, jobs: ["running": 2], depth: ["bulk": 3, "urgent": 1, "normal": 0],
            consumers: 0, secondsLeft: 7300)
        let line = Table([queue], LocalTime()).lines(width: 120)[1]
        #expect(line.contains("1 urgent, 3 bulk") && line.contains("no worker") && line.hasSuffix("2h"))
    }

    @Test func `a worker shows its slots, its rate and when it was seen`() {
        let now = Date(timeIntervalSince1970: 7200)
        let worker = API.Worker(
            name: "ops1/4711-3f2a", host: "ops1", version: "1.0.0", queues: ["default", "video"], state: "draining",
            slotsUsed: 3, slots: 512, bytesPerSecond: 2048, startedAt: now - 3600, heardAt: now - 4)
        let table = Table([worker], LocalTime(now: now, zone: .gmt))
        let lines = table.lines(width: nil)
        #expect(
            lines == [
                "WORKER          STATE     SLOTS        RATE  SINCE  SEEN  VERSION  HOST  QUEUES",
                "ops1/4711-3f2a  draining  3/512  2.00 KiB/s     1h    4s  1.0.0    ops1  default, video",
            ])
    }

    @Test(arguments: Longest.tables) func `every list fits 60 columns with its ids whole`(name: String, table: Table) {
        for width in 60...80 {
            let lines = table.lines(width: width)
            #expect(lines.allSatisfy { PlainText.width($0) <= width }, "\(name) at \(width): \(lines)")
            if ["jobs", "line"].contains(name) { #expect(lines[1].contains(Longest.id), "\(name) at \(width)") }
        }
    }
}

/// A row of each list with the longest values.
private enum Longest {
    static let id = "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"
    static let name = String(repeating: "n", count: 64)
    static let date = Date(timeIntervalSince1970: 0)

    static var tables: [(String, Table)] {
        let time = LocalTime(now: Date(timeIntervalSince1970: 365 * 86400), zone: .gmt)
        let job = API.Job.sample(
            id: id, status: "completed", queue: name, source: name, target: name + ":" + name, size: 1023 << 30,
            enqueuedAt: date, waitingUntil: date, reason: "waitsForItsTurn",
            error: API.Error(code: "destinationUnavailable", message: name))
        let queue = API.Queue.sample(
            name: name, isStopped: true, jobs: ["running": 123_456, "waiting": 1_234_567],
            depth: ["urgent": 100_000, "continued": 100_000, "normal": 100_000, "bulk": 100_000], consumers: 10_000,
            oldestWaiting: date, bytesLeft: 1 << 50, rate: 1e9, secondsLeft: 1e7)
        let delivery = API.Delivery(
            id: 9_999_999_999, delegate: name, event: id + ".1.2.completed", job: job.id, status: "delivered",
            attempts: 1000, createdAt: date, dueAt: date, error: name)
        let letter = API.DeadLetter(
            id: 9_999_999, at: date, status: "replayed", reason: name, bytes: 1023 << 10, isWhole: false, type: name,
            headers: [name], replayOf: 9_999_999)
        let destination = API.Destination(
            name: name, driver: "openstack-swift", limits: .init(jobs: 100, parts: 100, bytesPerSecond: 1 << 40),
            jobs: ["running": 123_456, "waiting": 1_234_567], bytesLeft: 1023 << 40,
            circuit: .init(state: "half open", until: date, error: name), limited: 100_000,
            live: .init(
                workers: 1000, failing: 1000, held: 1, jobsInFlight: 7, jobsAtOnce: 512_000, partsInFlight: 7,
                bytesPerSecond: 1e9),
            workers: [])
        let worker = API.Worker(
            name: name + name, host: name, version: "100.200.300-rc.4", queues: [name, name], state: "draining",
            slotsUsed: 100_000, slots: 100_000, bytesPerSecond: 1e9, startedAt: date, heardAt: date)
        let delegate = API.Delegate(
            name: name, kind: "webhook", target: "https://\(name).example/\(name)", origin: "configuration",
            types: ["completed", "failed", "cancelled"], queues: [name], destinations: [name], batches: [name],
            metadata: [:], client: name, ordered: true, hasSecret: true, hidesRegistered: false, isServed: true,
            backlog: 1_234_567, failed: 1_234_567, isPaused: true, isHeld: true, pausedSince: date)
        let object = BrokerObject(
            .exchange, "\(name).\(name).continued", .different, messages: 100_000_000, consumers: 10_000)
        return [
            ("jobs", Table([job], time)), ("queues", Table([queue], time)), ("deliveries", Table([delivery], time)),
            ("dead letters", Table([letter], time)),
            ("line", Table([API.LineEntry(position: 100_000, job: job)], time)),
            ("destinations", Table([destination], time)), ("workers", Table([worker], time)),
            ("delegates", Table([delegate], time)),
            ("topology", Table([object])),
        ]
    }
}

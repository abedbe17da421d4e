import Testing
import UploadsRabbitMQ

@testable import UploadBootstrap

struct TopologyReportTests {
    private func report(_ objects: [BrokerObject]) throws -> TopologyReport {
        TopologyReport(objects: objects, topology: try UploadTopology(namespace: "up"))
    }

    private let idle = [
        BrokerObject(.exchange, "up.submit", .asDeclared),
        BrokerObject(.queue, "up.control", .asDeclared, messages: 7, consumers: 0),
        BrokerObject(.queue, "up.jobs.video.urgent", .missing),
    ]

    @Test func `what holds no message and has no reader may be deleted, whatever the control log keeps`() throws {
        #expect(try report(idle).refusal(discardsMessages: false) == nil)
        #expect(try report(idle).messages == 0)
        #expect(try report(idle).wrong.map(\.name) == ["up.jobs.video.urgent"])
    }

    @Test func `waiting messages are deleted only when that is said`() throws {
        let report = try report(idle + [BrokerObject(.queue, "up.dead", .asDeclared, messages: 2, consumers: 0)])
        let refusal = report.refusal(discardsMessages: false)
        #expect(refusal?.contains("2 messages wait in up.dead (2)") == true)
        #expect(report.refusal(discardsMessages: true) == nil)
    }

    @Test func `what is read from is never deleted`() throws {
        let report = try report([BrokerObject(.queue, "up.control", .asDeclared, messages: 7, consumers: 1)])
        #expect(report.refusal(discardsMessages: true)?.contains("stop every upload-worker") == true)
    }

    @Test func `problems say what to do, and one line names what is missing`() throws {
        let different = BrokerObject(.queue, "up.dead", .different, problem: "inequivalent arg 'x-queue-type'")
        let problems = try report(idle + [different]).problems
        #expect(problems.count == 2)
        #expect(problems[0].contains("x-queue-type") && problems[0].contains("use another namespace"))
        #expect(problems[1].hasPrefix("missing: queue up.jobs.video.urgent;"))
    }

    @Test func `levels of the ladder that stand alike are one row`() throws {
        let levels = (0..<22).map { level in
            BrokerObject(
                .queue, "up.delay.\(level < 10 ? "0" : "")\(level)", level == 7 ? .missing : .asDeclared,
                messages: level == 7 ? nil : 2, consumers: level == 7 ? nil : 0)
        }
        let folded = try report(idle + levels).folded
        #expect(folded.map(\.name).suffix(3) == ["up.delay.00 to 06", "up.delay.07", "up.delay.08 to 21"])
        #expect(folded.map(\.messages).suffix(3) == [14, nil, 28])
    }

    @Test func `the table names each object with what waits in it`() throws {
        let lines = Table(idle).lines(width: 80)
        #expect(lines[0] == "KIND      NAME                  MESSAGES  READERS  STATE")
        #expect(lines[2].hasSuffix("7        0  ok"))
    }
}

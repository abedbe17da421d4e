import Foundation
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// A distant broker costs round trips, and no more than needed: between continents each takes a tenth of a second.
@Suite(.timeLimit(.minutes(40))) struct DistantBrokerTests {
    /// Long compared with the processing time of programs and broker, so that messages that are sent side by side count once.
    private static let oneWay = Duration.milliseconds(750)

    @Test func fewRoundTripsEnqueueAFileAndMakeAPoolReady() async throws {
        let broker = try await BrokerNode.shared()
        for program in [Program.worker, .notifier] {
            let proxy = try FaultProxy(to: broker.port)
            defer { proxy.stop() }
            proxy.delay(Self.oneWay)
            // A namespace without any objects on the broker yet.
            try await Deployment.with(broker: broker, url: proxy.url) { deployment in
                let topology = try deployment.topology
                let queues =
                    program == .notifier
                    ? topology.notifiers + [topology.dead] : Lane.allCases.map { topology.laneQueue(.standard, $0) }
                let consumes = queues.map(Self.consume)
                for consume in consumes { proxy.look(for: consume) }
                let started = try deployment.start(program)
                // Readiness is not asked for: each answer would be a round trip of its own to the broker.
                try await eventually("\(program.rawValue) consumes") {
                    consumes.allSatisfy { proxy.roundTrips(before: $0) != nil }
                }
                let roundTrips = consumes.compactMap(proxy.roundTrips(before:)).max() ?? 0
                print("\(program.rawValue): consumes after \(roundTrips) round trips")
                #expect(roundTrips <= 12, "\(program.rawValue) consumed after \(roundTrips)")
                guard program == .worker else { return }

                try await eventually("the worker is ready") { try await started.readiness() == "ready\n" }
                let path = try deployment.makeFile("one.bin", bytes: 100_000).path
                let enqueuing = try FaultProxy(to: broker.port)
                defer { enqueuing.stop() }
                enqueuing.delay(Self.oneWay)
                let enqueued = try await deployment.run(.enqueue, ["--broker", enqueuing.url, "--to", "local:", path])
                #expect(await enqueued.wait() == 0, "\(enqueued.errorText)")
                print("one file enqueued: \(enqueuing.roundTrips) round trips")
                #expect(enqueuing.roundTrips <= 9, "it took \(enqueuing.roundTrips)")
            }
        }
    }

    /// The beginning of the method `basic.consume` (class 60, method 20, a reserved short) for a queue.
    private static func consume(_ queue: String) -> [UInt8] {
        [0, 60, 0, 20, 0, 0, UInt8(queue.utf8.count)] + Array(queue.utf8)
    }
}

import Foundation
import Testing
import UploadTesting

/// A broker that is far away costs round trips, and no more of them than are needed: each is a tenth of a second between
/// continents.
@Suite(.timeLimit(.minutes(40))) struct DistantBrokerTests {
    /// Long beside what programs and broker take to think, so that what is sent side by side counts once.
    private static let oneWay = Duration.milliseconds(500)

    @Test func fewRoundTripsEnqueueAFileAndMakeAPoolReady() async throws {
        let broker = try await BrokerNode.shared()
        for program in [Program.worker, .notifier] {
            let proxy = try FaultProxy(to: broker.port)
            defer { proxy.stop() }
            proxy.delay(Self.oneWay)
            // A namespace of which nothing is there yet.
            try await Deployment.with(broker: broker, url: proxy.url) { deployment in
                let started = try deployment.start(program)
                try await eventually("\(program.rawValue) is ready") { try started.readiness() == "ready\n" }
                print("\(program.rawValue): ready after \(proxy.roundTrips) round trips")
                #expect(proxy.roundTrips <= 14, "\(program.rawValue) was ready after \(proxy.roundTrips)")
                guard program == .worker else { return }

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
}

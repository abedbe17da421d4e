import Foundation
import Testing
import UploadTesting

/// A pool over four hosts that share no directory: a producer on one, broker, notifier and store on another, and a worker on the third and
/// the fourth each. In the middle the network of the store is cut: for 5 s, in the soak for a minute.
@Suite(.serialized, .timeLimit(.minutes(40))) struct SeveralHostsTests {
    private static let sizes = [
        1000, 40_000, 300_000, 9 << 20, 25_000_000, 300_000, 40_000, 1000, 9 << 20, 40_000, 1000, 70_000_000,
    ]
    private static let cut: Duration =
        ProcessInfo.processInfo.environment["LONGSHORE_SOAK_MINUTES"] == nil ? .seconds(5) : .seconds(60)

    @Test func nothingIsLostAndNothingIsLeftWhenTheStoreIsCutOff() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let broker = try await BrokerNode.shared()
        let store = NetworkHosts.server
        func destination(_ name: String, _ prefix: String) -> String {
            bucket.destination(name: name, more: ", prefix: \(prefix)")
                .replacing("127.0.0.1", with: store)
        }
        let url = broker.url.replacing("127.0.0.1", with: store)
        try await Deployment.with(
            url: url, destinations: [destination("stage", "below/"), destination("there", "there/")]
        ) { deployment in
            let folder = deployment.path.appending(path: "files")
            let state = deployment.path.appending(path: ".local")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            let network = try await NetworkHosts.make(
                3, own: [folder.path, state.path], ports: [broker.port, bucket.proxy.port])
            let (producer, workers) = (network.hosts[0], network.hosts[1...])
            let options = ["--staging", "stage:copies/"]
            // The notifier is on the host of the servers, which it reaches by loopback.
            let notifier = try deployment.start(
                .notifier, options + ["--broker", broker.url],
                environment: ["UPLOAD_DESTINATIONS_STAGE_ENDPOINT": bucket.proxy.url])
            for worker in workers { try deployment.start(.worker, options, under: worker.wrapper) }
            var originals: [String: Data] = [:]
            for number in 0..<12 {
                let bytes = Data(
                    DestinationConformance.bytes(Self.sizes[number % Self.sizes.count], seed: UInt8(number)))
                let name = "\(number)"
                try bytes.write(to: producer.own(folder.path).appending(path: name))
                originals[name] = bytes
            }
            bucket.proxy.setRule { $0.method == "PUT" ? .throttle(bytesPerSecond: 48 << 20) : .forward }

            let first = try deployment.start(
                .enqueue, options + ["--to", "there:first/", folder.path], under: producer.wrapper)
            try await eventually("copies are made") { bucket.proxy.requests.count >= 10 }
            try await network.setConnected(false)
            try await Task.sleep(for: Self.cut)
            try await network.setConnected(true)
            #expect(await first.wait() == 0, "\(first.errorText)")

            let second = try deployment.start(
                .enqueue, options + ["--to", "there:second/", folder.path], under: producer.wrapper)
            try await eventually("files arrive") { try deployment.toldCount() >= 15 }
            try await network.setConnected(false)
            try await Task.sleep(for: Self.cut)
            try await network.setConnected(true)
            #expect(await second.wait() == 0, "\(second.errorText)")
            // What a producer keeps while it does not reach the broker, the next one on its host publishes.
            let last = try deployment.start(
                .enqueue, options + ["--to", "there:last/0", "\(folder.path)/0"], under: producer.wrapper)
            #expect(await last.wait() == 0, "\(last.errorText)")

            let count = 2 * originals.count + 1
            let outcomes = try await deployment.waitForOutcomes(count)
            #expect(outcomes.count == count)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            for (name, bytes) in originals {
                for way in ["first", "second"] {
                    #expect(
                        try await bucket.observer.get(bucket.name, "there/\(way)/\(name)") == Array(bytes),
                        "\(way) \(name)")
                }
            }
            try await eventually("no copy is left") {
                try await bucket.observer.listKeys(bucket.name).filter { $0.hasPrefix("below/") }
                    == ["below/copies/longshore-area"]
            }
            let queues = producer.own(state.path).appending(path: "state/longshore/spool/outbox")
            #expect((try? FileManager.default.contentsOfDirectory(atPath: queues.path)) ?? [] == [])
            #expect(notifier.isRunning)
        }
    }
}

import Foundation
import Testing
import UploadTesting

/// The programs with an Apache that writes ranges in place.
@Suite(.timeLimit(.minutes(40))) struct HTTPRangeTests {
    @Test func afterAKillAnotherWorkerGoesOnBehindThePartsThatAreThere() async throws {
        let part = 8 << 20
        let server = try await WebDAVServer.start(.apache)
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        let destination =
            "web: {driver: http, url: 'http://127.0.0.1:\(proxy.port)/', ranges: true, answersHead: true, partSize: 8MiB}"
        try await Deployment.with(destinations: [destination]) { deployment in
            let size = 4 * part + 12_345
            let file = try deployment.makeFile("large.bin", bytes: size)
            let takeover = Takeover(deployment: deployment, proxy: proxy)
            let (_, after) = try await takeover.run(
                file, to: "web:large.bin",
                rule: {
                    let isLate = $0.header("content-range").map { !$0.hasPrefix("bytes 0-") } ?? false
                    return $0.method == "PUT" && isLate ? .throttle(bytesPerSecond: 2 << 20) : .forward
                }, killWhen: "the third part is on its way"
            ) { requests in
                requests.contains {
                    $0.request.header("content-range")?.hasPrefix("bytes \(2 * part)-") == true
                        && $0.bodyBytes > 1 << 20
                }
            }
            let sent = after.filter { $0.method == "PUT" }.compactMap { $0.request.header("content-range") }
            #expect(!sent.isEmpty && !sent.contains { $0.hasPrefix("bytes 0-") }, "\(sent)")
            try takeover.expect(server.stored("large.bin"), like: file)
        }
    }
}

import Foundation
import ResumableTesting
import Testing
import UploadTesting

/// The programs with the resumable uploads of swift-nio-extras.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ResumableTests {
    private static let part = 8 << 20

    @Test(arguments: [6, 5, 3])
    func afterAKillAnotherWorkerGoesOnAtTheByteWhereTheServerStopped(interop: Int) async throws {
        let server = try await AppleServer()
        let proxy = try HTTPFaultProxy(to: server.port)
        defer { proxy.stop() }
        let destination =
            "inbox: {driver: resumable, url: 'http://127.0.0.1:\(proxy.port)/files/', interop: \(interop), partSize: 8MiB}"
        try await Deployment.with(destinations: [destination]) { deployment in
            let size = 4 * Self.part + 12_345
            let file = try deployment.makeFile("large.bin", bytes: size)
            let takeover = Takeover(deployment: deployment, proxy: proxy)
            let (outcome, after) = try await takeover.run(
                file, to: "inbox:in/large.bin",
                rule: { $0.method == "PATCH" ? .throttle(bytesPerSecond: 2 << 20) : .forward },
                killWhen: "the second part is on its way"
            ) { requests in
                requests.contains { $0.method == "PATCH" && Self.offset($0) >= Self.part && $0.bodyBytes > 1 << 20 }
            }
            try takeover.expect(server.stored("in/large.bin"), like: file)
            let patches = after.filter { $0.method == "PATCH" }
            let first = try #require(patches.first.map(Self.offset))
            #expect(first > Self.part, "it did not go on in the middle of the part: at \(first)")
            #expect(patches.reduce(0) { $0 + $1.bodyBytes } == size - first, "no byte went twice")
            let object = (outcome["data"] as? [String: Any])?["object"] as? [String: Any]
            #expect((object?["location"] as? String)?.hasSuffix("/files/in/large.bin") == true)
        }
    }

    private static func offset(_ record: HTTPFaultProxy.Record) -> Int {
        record.request.header("upload-offset").flatMap { Int($0) } ?? 0
    }
}

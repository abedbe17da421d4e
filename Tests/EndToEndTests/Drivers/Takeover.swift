import Foundation
import Testing
import UploadTesting

/// Kills a worker in the middle of an upload, and lets another one finish it.
struct Takeover {
    let deployment: Deployment
    let proxy: HTTPFaultProxy

    /// - Parameters:
    ///   - destination: the DEST of the command line.
    ///   - rule: the proxy's rule for the requests of the worker that is killed.
    ///   - isThen: whether it is time to kill the worker, by the requests that have passed the proxy.
    /// - Returns: the outcome, and the requests after the kill.
    func run(
        _ file: URL, to destination: String, rule: @escaping HTTPFaultProxy.Rule, killWhen moment: String,
        _ isThen: @escaping @Sendable ([HTTPFaultProxy.Record]) -> Bool
    ) async throws -> (outcome: [String: Any], after: [HTTPFaultProxy.Record]) {
        try deployment.start(.notifier)
        proxy.setRule(rule)
        let victim = try deployment.start(.worker)
        let ids = try await deployment.enqueue(["--to", destination, file.path])
        try await eventually("\(moment)") { isThen(proxy.requests) }
        victim.signal(SIGKILL)
        _ = await victim.wait()
        let before = proxy.requests.count
        proxy.setRule { _ in .forward }
        try deployment.start(.worker)
        let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
        #expect(outcome["type"] as? String == "upload.completed", "\(outcome)")
        return (outcome, Array(proxy.requests.dropFirst(before)))
    }

    func expect(_ stored: [UInt8]?, like file: URL) throws {
        let bytes = try Data(contentsOf: file)
        #expect(stored.map { Data($0) == bytes } == true, "\(stored?.count ?? -1) bytes are there of \(bytes.count)")
    }
}

import Foundation
import Testing
import UploadTesting

/// A webhook receiver in Python (`API/receiver.py`) that verifies each request with the Standard Webhooks and CloudEvents
/// libraries, and checks ids, contents and order across its own restarts.
struct JudgingReceiver {
    struct Verdict: Decodable {
        /// The rounds of each job whose outcomes the receiver accepted, in order.
        let accepted: [String: [Int]]
        let refused: Int
        /// The number of outcomes that it had accepted already and received again.
        let repeats: Int
        let requests: Int
        /// The problems found: bad signatures, changed ids or contents, rounds out of order.
        let problems: [String]
        let isHolding: Bool

        var acceptedCount: Int { accepted.values.reduce(0) { $0 + $1.count } }
    }

    let program: RunningProgram
    private let url: String

    /// Starts the receiver, and waits until it listens.
    /// - Parameter every: the receiver refuses one outcome in so many, once; 0 refuses none.
    static func start(
        _ deployment: Deployment, port: Int, secret: String, name: String, refusingEvery every: Int
    ) async throws -> JudgingReceiver {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../API/receiver.py")
        let program = try RunningProgram(
            URL(filePath: "/usr/bin/env"),
            [
                "python3", script.standardized.path, "\(port)", secret,
                deployment.path.appending(path: "received.ndjson").path, "\(every)",
            ],
            environment: [
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1",
            ], directory: deployment.path, logs: deployment.logs, name: name)
        try await eventually("the receiver listens") {
            guard program.isRunning else { throw DidNotHappen("the receiver ended: \(program.errorText)") }
            return program.outputText.contains("listening")
        }
        return JudgingReceiver(program: program, url: "http://127.0.0.1:\(port)")
    }

    /// The receiver's verdict so far.
    func verdict() async throws -> Verdict { try await ask("verdict") }

    /// Makes the receiver kill itself when it has accepted so many more outcomes, without an answer to the last one.
    func die(after count: Int) async throws { _ = try await ask("die?after=\(count)") }

    /// Makes the receiver hold all requests without an answer after so many more outcomes.
    func hold(after count: Int) async throws { _ = try await ask("hold?after=\(count)") }

    func release() async throws { _ = try await ask("release") }

    private func ask(_ path: String) async throws -> Verdict {
        try JSONDecoder().decode(Verdict.self, from: Data(try await Web.page("\(url)/\(path)").utf8))
    }
}

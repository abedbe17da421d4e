import Uploads

/// What a trial of a destination shows: pure.
struct TrialReport: Hashable, Encodable {
    var destination: String
    var driver: String
    var steps: [TrialStep] = []

    /// Whether nothing failed. What was skipped may fail yet.
    var works: Bool { !steps.contains { $0.result == .failed } }

    /// The last line: what it comes to.
    var verdict: String {
        if let failed = steps.first(where: { $0.result == .failed }) {
            return "'\(destination)' does not work from this host: step '\(failed.step.rawValue)' failed"
        }
        let isWritten = steps.contains { $0.result == .done && [.send, .write].contains($0.step) }
        return isWritten
            ? "'\(destination)' works, as seen from this host"
            : "nothing is wrong with '\(destination)' as far as it was tried from this host"
    }

    static func line(_ step: TrialStep) -> String {
        let result =
            switch step.result {
            case .done: "ok"
            case .failed: "FAILED"
            case .skipped: "-"
            }
        return "  \(padded(result, 8))\(padded(step.step.rawValue, 10))\(step.detail)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private enum CodingKeys: CodingKey { case destination, driver, steps, works }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(destination, forKey: .destination)
        try container.encode(driver, forKey: .driver)
        try container.encode(steps, forKey: .steps)
        try container.encode(works, forKey: .works)
    }
}

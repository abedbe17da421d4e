import Uploads

/// The result of a destination's trial, and its texts for the operator: pure.
struct TrialReport: Hashable, Encodable {
    var destination: String
    var driver: String
    var steps: [TrialStep] = []
    /// The findings of a survey.
    var abilities: [SurveyFinding] = []
    /// The recommendations of a survey.
    var advice: [SurveyAdvice] = []

    /// Whether no step failed and no needed ability is lacking. A skipped step says nothing, so an upload may still fail there.
    var works: Bool { !steps.contains { $0.result == .failed } && lacking == nil }

    /// The first ability without a "yes" that every upload needs, or that the trial needs in order to leave nothing behind.
    private var lacking: SurveyFinding? { abilities.first { $0.isNeeded && $0.answer != .yes } }

    var missingRights: [String] {
        var rights: [String] = []
        for right in abilities.compactMap(\.missingRight) where !rights.contains(right) { rights.append(right) }
        return rights
    }

    /// The last line of the report: whether the destination works.
    var verdict: String {
        if let failed = steps.first(where: { $0.result == .failed }) {
            return "'\(destination)' does not work from this host: step '\(failed.step.rawValue)' failed"
        }
        if let lacking {
            return lacking.answer == .no
                ? "'\(destination)' does not work from this host: it cannot \(lacking.ability)"
                : "'\(destination)' could not be tried from this host: whether it can \(lacking.ability) is not known"
        }
        let isWritten =
            !abilities.isEmpty || steps.contains { $0.result == .done && [.send, .write].contains($0.step) }
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

    /// A row of the table of abilities, at most 80 columns wide.
    static func lines(_ finding: SurveyFinding) -> [String] {
        let answer =
            switch finding.answer {
            case .yes: "yes"
            case .no: finding.isNeeded ? "NO" : "no"
            case .unknown: "?"
            }
        return PlainText.hanging(
            padded(answer, 8) + finding.ability, PlainText.safe(finding.detail), column: detailColumn, width: 80)
    }

    private static let detailColumn = 35
    static let header = "What this server, with these credentials, can do:"

    /// The recommendations that follow the table.
    var adviceLines: [String] {
        var lines: [String] = []
        if !missingRights.isEmpty {
            lines += PlainText.wrapped("Missing rights: " + missingRights.joined(separator: ", "), to: 80)
        }
        let settings = advice.filter { $0.setting != nil }
        if !settings.isEmpty {
            lines.append("Put into the configuration of '\(destination)':")
            for advice in settings {
                lines += PlainText.wrapped(advice.reason, to: 76).map { "  # \($0)" } + ["  \(advice.setting ?? "")"]
            }
        }
        for advice in advice where advice.setting == nil {
            lines += PlainText.wrapped(advice.reason.prefix(1).uppercased() + advice.reason.dropFirst() + ".", to: 80)
        }
        return lines
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private enum CodingKeys: CodingKey { case destination, driver, steps, abilities, missingRights, advice, works }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(destination, forKey: .destination)
        try container.encode(driver, forKey: .driver)
        try container.encode(steps, forKey: .steps)
        if !abilities.isEmpty {
            try container.encode(abilities, forKey: .abilities)
            try container.encode(missingRights, forKey: .missingRights)
            try container.encode(advice, forKey: .advice)
        }
        try container.encode(works, forKey: .works)
    }
}

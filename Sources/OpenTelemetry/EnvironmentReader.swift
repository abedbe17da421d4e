import Foundation

/// Reads variables as the specification says: an empty one counts as not set, and one that cannot be used is ignored with a warning.
struct EnvironmentReader {
    private let environment: [String: String]
    private(set) var warnings: [String] = []

    init(_ environment: [String: String]) { self.environment = environment }

    mutating func warn(_ name: String, _ problem: String) {
        let warning = "\(name): \(problem)"
        if !warnings.contains(warning) { warnings.append(warning) }
    }

    func text(_ name: String) -> String? {
        let value = environment[name]?.trimmingCharacters(in: .whitespaces)
        return value?.isEmpty == false ? value : nil
    }

    /// Only `true`, in any case, is true.
    func bool(_ name: String) -> Bool { text(name)?.lowercased() == "true" }

    /// Words between commas, in lower case.
    func list(_ name: String) -> [String]? {
        text(name)?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    }

    mutating func count(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let text = text(name) else { return nil }
        if let value = Int(text), range.contains(value) { return value }
        warn(name, "'\(text)' is no number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// A time that the variable gives in milliseconds, from 1 ms to a day.
    mutating func seconds(_ name: String) -> TimeInterval? {
        count(name, 1...86_400_000).map { Double($0) / 1000 }
    }

    /// `key=value` between commas, with values that are percent-encoded (W3C Baggage, section 3.3).
    mutating func pairs(_ name: String) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in text(name)?.split(separator: ",") ?? [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            // A value may be a secret, so it is not shown.
            guard sides.count == 2, !sides[0].isEmpty, let value = sides[1].removingPercentEncoding else {
                warn(name, "one of its pairs is no key=value")
                continue
            }
            pairs[sides[0]] = value
        }
        return pairs
    }
}

import Foundation
import Uploads
import UploadsAPI

extension API.Delegate {
    /// `active`, `paused 3m` (by an operator), `failing 2h` (paused by its failures), `not served`.
    func state(_ time: LocalTime) -> String {
        guard isServed else { return "not served" }
        guard isPaused else { return "active" }
        return (isHeld ? "paused" : "failing") + (pausedSince.map { " \(time.age($0))" } ?? "")
    }

    /// The states that an operator should know of, as sentences.
    var warnings: [String] {
        var warnings: [String] = []
        if let problem { warnings.append("delegate \(name) is not served: \(problem)") }
        if isPaused {
            warnings.append(
                "delegate \(name) is paused\(reason.map { ": \($0)" } ?? ""); its outcomes are kept, "
                    + "'uploadctl delegate resume \(name)' goes on")
        }
        if hidesRegistered {
            warnings.append(
                "a delegate \(name) is registered as well, and not served until the one of the configuration is gone")
        }
        return warnings
    }

    /// All fields, for people.
    func lines(_ time: LocalTime) -> [String] {
        func pairs(_ values: [String: String]) -> String {
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
        let secret = oldSecretUntil.map { "yes; an old one signs too until \(time.text($0))" } ?? "yes"
        let facts: [(String, String?)] = [
            ("to", target), ("origin", origin), ("outcomes", types.joined(separator: ", ")),
            ("queues", queues.joined(separator: ", ")), ("destinations", destinations.joined(separator: ", ")),
            ("batches", batches.joined(separator: ", ")), ("metadata", pairs(metadata)), ("app", client),
            ("fields", fields.map(pairs)), ("mode", mode), ("secret", hasSecret ? secret : nil),
            ("ordered", ordered ? "yes" : nil), ("at once", concurrency.map(String.init)),
            ("timeout", timeoutSeconds.map { Quantity.text(seconds: $0) }),
            ("registered", createdAt.map { time.text($0) }),
            ("changed", changedAt == createdAt ? nil : changedAt.map { time.text($0) }),
            ("backlog", String(backlog)), ("given up", String(failed)),
        ]
        let shown = facts.compactMap { name, value in value.flatMap { $0.isEmpty ? nil : (name, $0) } }
        return ["\(name)  \(kind)  \(state(time))", ""]
            + shown.map { "  " + $0.padding(toLength: 14, withPad: " ", startingAt: 0) + PlainText.safe($1) }
    }
}

extension Table {
    init(_ delegates: [API.Delegate], _ time: LocalTime) {
        self.init(
            [
                Column(title: "DELEGATE", minimum: 12), Column(title: "KIND"), Column(title: "STATE", minimum: 8),
                Column(title: "BACKLOG", isNumber: true), Column(title: "GIVEN UP", isNumber: true),
                Column(title: "ORIGIN", dropOrder: 1), Column(title: "TYPES", minimum: 9, dropOrder: 2),
                Column(title: "TARGET", minimum: 12, keepsEnd: true, dropOrder: 3), .wide("QUEUES"),
                .wide("DESTINATIONS"), .wide("BATCHES"),
                .wide("ORDERED"), .wide("AT ONCE", isNumber: true),
                .wide("TIMEOUT", isNumber: true), .wide("REGISTERED"),
            ],
            rows: delegates.map { delegate in
                [
                    delegate.name, delegate.kind, delegate.state(time), String(delegate.backlog),
                    String(delegate.failed), delegate.origin, delegate.types.joined(separator: ","),
                    delegate.target ?? "", delegate.queues.joined(separator: ","),
                    delegate.destinations.joined(separator: ","), delegate.batches.joined(separator: ","),
                    delegate.ordered ? "yes" : "no", delegate.concurrency.map(String.init) ?? "-",
                    delegate.timeoutSeconds.map { Quantity.text(seconds: $0) } ?? "-",
                    delegate.createdAt.map { time.text($0) } ?? "-",
                ]
            })
    }
}

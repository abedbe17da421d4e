import Foundation
import Uploads
import UploadsAPI

extension DashboardPage {
    // MARK: Delegates

    var delegates: DashboardPart {
        guard !model.delegates.isEmpty else {
            return Self.card("delegates", "Delegates", Self.empty("No delegate is configured or registered."))
        }
        return Self.card("delegates", "Delegates", "<ul class=\"rows\">\(model.delegates.map { row($0) })</ul>")
    }

    private func row(_ delegate: API.Delegate) -> HTML {
        var facts: [HTML] = [
            "<span>\(delegate.kind)</span>", "<span>\(DashboardText.count(delegate.backlog)) to deliver</span>",
        ]
        if delegate.failed > 0 {
            facts.append("<span class=\"bad\">\(DashboardText.count(delegate.failed)) given up</span>")
        }
        if let since = delegate.pausedSince {
            facts.append("<span>since \(DashboardText.time(since, now: model.at))</span>")
        }
        let target: HTML? = delegate.target.map { "<p class=\"facts\"><span class=\"title\">\(name: $0)</span></p>" }
        let reason: HTML? = delegate.reason.map { "<p class=\"reason\"><span>\(name: $0)</span></p>" }
        let problem: HTML? = delegate.problem.map { "<p class=\"reason\"><span>\(name: $0)</span></p>" }
        let action =
            delegate.isPaused
            ? button(
                "Resume", title: "Resume delegate \(delegate.name)", path: ["delegates", delegate.name, "resume"],
                isEnabled: model.isBrokerThere, look: "strong")
            : button(
                "Pause", title: "Pause delegate \(delegate.name)", path: ["delegates", delegate.name, "pause"],
                isEnabled: model.isBrokerThere)
        return """
            <li id="delegate-\(delegate.name)" class="split"><div><p class="line"><span class="title">\
            \(name: delegate.name)</span>\(delegate.isPaused ? Self.badge("Paused", "warn") : nil)</p>
            \(target)\(problem)\(delegate.isPaused ? reason : nil)<p class="facts">\(facts)</p></div>\(action)</li>
            """
    }

    // MARK: Destinations

    var destinations: DashboardPart {
        guard !model.destinations.isEmpty else {
            return Self.card("destinations", "Destinations", Self.empty("None is configured, and none was used."))
        }
        return Self.card(
            "destinations", "Destinations", "<ul class=\"rows\">\(model.destinations.map { row($0) })</ul>")
    }

    private func row(_ destination: API.Destination) -> HTML {
        let live = LedgerStatus.allCases.filter { !$0.isEnd }.map { destination.jobs[$0.rawValue, default: 0] }
            .sumSaturating()
        var facts: [HTML] = []
        if let driver = destination.driver { facts.append("<span>\(driver)</span>") }
        facts.append(
            live > 0
                ? "<span>\(DashboardText.count(live, "job")), \(DashboardText.bytes(destination.bytesLeft)) left</span>"
                : "<span>nothing left</span>")
        if destination.limited > 0 {
            facts.append("<span class=\"warn\">\(DashboardText.count(destination.limited)) held up by a limit</span>")
        }
        if let live = destination.live {
            facts.append(
                live.jobsInFlight > 0
                    ? "<span>\(DashboardText.rate(live.bytesPerSecond)) of \(DashboardText.count(live.workers, "worker"))</span>"
                    : "<span>\(DashboardText.count(live.workers, "worker")) idle</span>")
            if live.jobsInFlight > 0, let atOnce = live.jobsAtOnce {
                facts.append("<span>\(DashboardText.count(atOnce, "job")) at once</span>")
            }
            if live.held > 0 { facts.append("<span class=\"warn\">held to its limits</span>") }
        }
        let limits = Self.limits(destination.limits)
        let limitsNote: HTML? = limits.isEmpty ? nil : "<p class=\"facts\">\(limits)</p>"
        let circuitState = DestinationReport.CircuitState(rawValue: destination.circuit.state)
        let isOpen = circuitState != .closed
        let failing = destination.live.map { $0.workers > 1 ? " at \($0.failing) of \($0.workers) workers" : "" } ?? ""
        let state = circuitState == .halfOpen ? "Circuit half open" : "Circuit open"
        let until: HTML? = destination.circuit.until.map { ", tried again \(DashboardText.time($0, now: model.at))" }
        let error = destination.circuit.error ?? "it keeps failing"
        let circuit: HTML? = isOpen ? "<p class=\"reason\"><span>\(name: error)\(until)</span></p>" : nil
        return """
            <li id="destination-\(destination.name)"><p class="line"><span class="title">\(name: destination.name)</span>\
            \(isOpen ? Self.badge(state + failing, "bad") : nil)</p>\(circuit)
            <p class="facts">\(facts)</p>\(limitsNote)</li>
            """
    }

    /// The limits of each worker.
    private static func limits(_ limits: API.Limits?) -> [HTML] {
        guard let limits else { return [] }
        let texts = [
            limits.jobs.map { "at most \(DashboardText.count($0, "job"))" },
            limits.parts.map { DashboardText.count($0, "part") },
            limits.bytesPerSecond.map { DashboardText.rate(Double($0)) },
            limits.requestsPerSecond.map { "\(DashboardText.count($0, "request"))/s" },
        ].compactMap { $0 }
        guard !texts.isEmpty else { return [] }
        return (texts.dropLast() + ["\(texts.last ?? "") per worker"]).map { text -> HTML in "<span>\(text)</span>" }
    }

    // MARK: Dead letters

    var deadLetters: DashboardPart {
        guard model.deadLetters > 0 else {
            return Self.card("dead", "Dead letters", Self.empty("Every message could be read."))
        }
        return Self.card(
            "dead", "Dead letters", note: DashboardText.count(model.deadLetters),
            """
            <p class="text">The notifier keeps messages that it could not read until an operator replays or discards them: \
            <code>uploadctl dead list</code></p>
            """)
    }
}

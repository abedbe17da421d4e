import Foundation
import Uploads
import UploadsAPI

/// The page of all destinations: circuit, limits, jobs, and what its workers report.
struct DashboardDestinations: Sendable {
    /// Groups of failed jobs that are shown for each destination.
    private static let failuresMaximum = 3

    let page: DashboardListPage<API.Destination>
    /// Failed jobs by destination and error, the largest group first.
    let failures: [API.FailureGroup]
    let viewer: DashboardViewer
    let at: Date

    init(
        _ all: [API.Destination], page: Int, failures: [API.FailureGroup], viewer: DashboardViewer, at: Date
    ) {
        self.page = DashboardListPage(Self.sorted(all), number: page)
        self.failures = failures
        self.viewer = viewer
        self.at = at
    }

    func document(notice: DashboardNotice?) -> HTML {
        let path = DashboardPlace.destinations.path
        return PageFrame.page(
            "Destinations", at: .destinations, for: viewer, updates: .fetched(page.path(path)), notice: notice,
            """
            <section class="card" aria-labelledby="heading-destinations"><div class="heading">\
            <h2 id="heading-destinations">Destinations</h2><p class="note">\(DashboardText.count(page.total))</p></div>
            \(page.total == 0 ? DashboardPage.empty("None is configured, and none was used.") : nil)
            <ul class="rows">\(page.elements.map { Self.row($0, viewer, at, errors: errors(at: $0.name)) })</ul>\(page.links(path))</section>
            """)
    }

    /// Why jobs have failed at the destination, each with the message of the last one.
    private func errors(at destination: String) -> [HTML] {
        failures.lazy.filter { $0.destination == destination }.prefix(Self.failuresMaximum).map { group in
            let last: HTML? = group.newest.map { "<a href=\"/dashboard/jobs/\($0)\">the last one</a>" }
            return """
                <p class="reason">\(DashboardPage.badge(group.error, "bad")) \(name: group.message ?? "")</p>
                <p class="facts"><span>\(DashboardText.count(group.jobs, "job"))</span>\
                <span>last \(DashboardText.time(group.lastEndedAt, now: at))</span><span>\(last)</span></p>
                """
        }
    }

    /// Those that fail first, then those with most jobs that have not ended.
    static func sorted(_ destinations: [API.Destination]) -> [API.Destination] {
        func rank(_ destination: API.Destination) -> (Int, Int) {
            let isOpen = destination.circuit.state != DestinationReport.CircuitState.closed.rawValue
            return (isOpen ? 0 : 1, -live(destination))
        }
        return destinations.enumerated().sorted { left, right in
            let (a, b) = (rank(left.element), rank(right.element))
            return a != b ? a < b : left.offset < right.offset
        }.map(\.element)
    }

    private static func live(_ destination: API.Destination) -> Int {
        LedgerStatus.allCases.filter { !$0.isEnd }.map { destination.jobs[$0.rawValue, default: 0] }.sumSaturating()
    }

    /// A destination in a list.
    static func row(
        _ destination: API.Destination, _ viewer: DashboardViewer, _ at: Date, errors: [HTML] = []
    ) -> HTML {
        let live = live(destination)
        let failed = destination.jobs[LedgerStatus.failed.rawValue, default: 0]
        var facts: [HTML] = []
        if let driver = destination.driver { facts.append("<span>\(driver)</span>") }
        facts.append(
            live > 0
                ? "<span>\(DashboardText.count(live, "job")), \(DashboardText.bytes(destination.bytesLeft)) left</span>"
                : "<span>nothing left</span>")
        if failed > 0 {
            let filter = DashboardJobFilter(["status": "failed", "destination": destination.name])
            facts.append(
                "<span><a href=\"/dashboard/jobs?\(filter.query())\">\(DashboardText.count(failed)) failed</a></span>")
            if viewer.mayOperate {
                let path = DashboardBulkPage.path(.runAgain, filter)
                let title = "Run again what failed at \(destination.name)"
                facts.append("<span><a href=\"\(path)\" aria-label=\"\(title)\">run again…</a></span>")
            }
        }
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
        let until: HTML? = destination.circuit.until.map { ", tried again \(DashboardText.time($0, now: at))" }
        let error = destination.circuit.error ?? "it keeps failing"
        let circuit: HTML? = isOpen ? "<p class=\"reason\"><span>\(name: error)\(until)</span></p>" : nil
        return """
            <li id="destination-\(destination.name)"><p class="line"><a class="title" \
            href="\(DashboardJobList.path(["destination": destination.name]))">\(name: destination.name)</a>\
            \(isOpen ? DashboardPage.badge(state + failing, "bad") : nil)</p>\(circuit)
            <p class="facts">\(facts)</p>\(limitsNote)\(errors)</li>
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
}

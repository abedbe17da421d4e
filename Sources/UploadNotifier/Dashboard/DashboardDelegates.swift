import Foundation
import Uploads
import UploadsAPI

/// The page of all delegates: what each gets, and whether it is behind.
struct DashboardDelegates: Sendable {
    let page: DashboardListPage<API.Delegate>
    let viewer: DashboardViewer
    let at: Date

    init(_ all: [API.Delegate], page: Int, viewer: DashboardViewer, at: Date) {
        self.page = DashboardListPage(all, number: page)
        self.viewer = viewer
        self.at = at
    }

    func document(notice: DashboardNotice?) -> HTML {
        let path = DashboardPlace.delegates.path
        return PageFrame.page(
            "Delegates", at: .delegates, for: viewer, updates: .fetched(page.path(path)), notice: notice,
            """
            <section class="card" aria-labelledby="heading-delegates"><div class="heading">\
            <h2 id="heading-delegates">Delegates</h2><p class="note">receive the outcomes of jobs</p></div>
            \(page.total == 0 ? DashboardPage.empty("No delegate is configured or registered.") : nil)
            <ul class="rows">\(page.elements.map { Self.row($0, viewer, at) })</ul>\(page.links(path))</section>
            """)
    }

    /// The path of a delegate's page.
    static func path(_ name: String) -> String {
        "/dashboard/delegates/\(name.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters) ?? "")"
    }

    /// A delegate in a list, with its button.
    static func row(_ delegate: API.Delegate, _ viewer: DashboardViewer, _ at: Date, isEnabled: Bool = true) -> HTML {
        let target: HTML? = delegate.target.map { "<p class=\"facts\"><span class=\"title\">\(name: $0)</span></p>" }
        let why = delegate.problem ?? (delegate.isPaused ? delegate.reason : nil)
        let reason: HTML? = why.map { "<p class=\"reason\"><span>\(name: $0)</span></p>" }
        return """
            <li id="delegate-\(delegate.name)" class="split"><div><p class="line">\
            <a class="title" href="\(path(delegate.name))">\(name: delegate.name)</a>\(badge(of: delegate))</p>
            \(target)\(reason)<p class="facts">\(facts(of: delegate, at))</p></div>\
            \(toggle(delegate, viewer, isEnabled: isEnabled))</li>
            """
    }

    static func badge(of delegate: API.Delegate) -> HTML? {
        if !delegate.isServed { return DashboardPage.badge("Not served", "bad") }
        return delegate.isPaused ? DashboardPage.badge("Paused", "warn") : nil
    }

    static func facts(of delegate: API.Delegate, _ at: Date) -> [HTML] {
        var facts: [HTML] = [
            "<span>\(delegate.kind)</span>", "<span>\(DashboardText.count(delegate.backlog)) to deliver</span>",
        ]
        if delegate.failed > 0 {
            facts.append("<span class=\"bad\">\(DashboardText.count(delegate.failed)) given up</span>")
        }
        if let since = delegate.pausedSince {
            facts.append("<span>since \(DashboardText.time(since, now: at))</span>")
        }
        return facts
    }

    /// The button that pauses the delegate, or resumes it.
    static func toggle(_ delegate: API.Delegate, _ viewer: DashboardViewer, isEnabled: Bool = true) -> HTML? {
        let (verb, label) = delegate.isPaused ? ("resume", "Resume") : ("pause", "Pause")
        return viewer.button(
            label, title: "\(label) delegate \(delegate.name)", path: ["delegates", delegate.name, verb], of: nil,
            isEnabled: isEnabled, look: delegate.isPaused ? "strong" : "")
    }
}

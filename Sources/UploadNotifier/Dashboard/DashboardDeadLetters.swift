import Foundation
import Uploads
import UploadsAPI

/// The pages of the messages that could not be read or recorded.
enum DashboardDeadLetters {
    /// Dead letters on a page.
    static let count = 25

    static func document(
        _ page: API.DeadLetterPage, isWaiting: Bool, viewer: DashboardViewer, at: Date, notice: DashboardNotice?
    ) -> HTML {
        let path = DashboardPlace.deadLetters.path
        let links = [("", "Waiting", isWaiting), ("?status=replayed", "Published again", !isWaiting)].map {
            query, label, isChosen -> HTML in
            "<li><a href=\"\(path)\(query)\"\(isChosen ? HTML(" aria-current=\"true\"") : nil)>\(label)</a></li>"
        }
        let older: HTML? = page.next.map { next in
            let query = (isWaiting ? [] : [("status", "replayed")]) + [("before", "\(next)")]
            return "<p class=\"more\"><a href=\"\(path)?\(DashboardText.query(query))\">Older dead letters</a></p>"
        }
        return PageFrame.page(
            "Dead letters", at: .deadLetters, for: viewer, updates: .none, notice: notice,
            """
            <section class="card" aria-labelledby="heading-dead"><div class="heading"><h2 id="heading-dead">Dead letters</h2></div>
            <p class="text">Messages that the notifier could not read, or the ledger could not record. Mend the cause, then publish \
            them again; what is of no use can be discarded.</p>
            <ul class="choices">\(links)</ul>
            \(page.deadLetters.isEmpty ? DashboardPage.empty("There are none.") : nil)
            <ul class="rows">\(page.deadLetters.map { row($0, viewer, at) })</ul>\(older)</section>
            """)
    }

    private static func row(_ letter: API.DeadLetter, _ viewer: DashboardViewer, _ at: Date) -> HTML {
        let job: HTML? = letter.job.map { "<span><a href=\"/dashboard/jobs/\($0)\">job</a></span>" }
        let type: HTML? = letter.type.map { "<span>\(name: $0)</span>" }
        return """
            <li class="split"><div><p class="line"><a class="title" href="\(DashboardPlace.deadLetters.path)/\(letter.id)">\
            \(name: letter.reason)</a></p>
            <p class="facts"><span>\(DashboardText.time(letter.at, now: at))</span>\(type)\
            <span>\(DashboardText.bytes(letter.bytes))</span>\(job)</p></div><div class="verbs">\(buttons(letter, viewer))</div></li>
            """
    }

    private static func buttons(_ letter: API.DeadLetter, _ viewer: DashboardViewer) -> [HTML] {
        let replay =
            letter.status == "waiting"
            ? viewer.button(
                "Publish again", title: "Publish dead letter \(letter.id) again",
                path: ["dead-letters", "\(letter.id)", "replay"], of: nil) : nil
        let discard = viewer.button(
            "Discard", title: "Discard dead letter \(letter.id)", path: ["dead-letters", "\(letter.id)", "discard"],
            of: nil, asks: true)
        return [replay, discard].compactMap(\.self)
    }

    /// The page of one, with the beginning of its body.
    static func document(
        _ letter: API.DeadLetter, viewer: DashboardViewer, at: Date, notice: DashboardNotice?
    ) -> HTML {
        let pairs: [(String, HTML?)] = [
            ("Recorded", DashboardText.time(letter.at, now: at)), ("Size", "\(DashboardText.bytes(letter.bytes))"),
            ("Type", letter.type.map { "\(name: $0)" }), ("Content type", letter.contentType.map { "\(name: $0)" }),
            ("Queue", letter.origin.map { "\(name: $0)" }),
            ("Job", letter.job.map { "<a href=\"/dashboard/jobs/\($0)\">\($0)</a>" }),
            ("Headers", letter.headers.isEmpty ? nil : "\(name: letter.headers.joined(separator: ", "))"),
            (
                "Was",
                letter.replayOf.map { "<a href=\"\(DashboardPlace.deadLetters.path)/\($0)\">dead letter \($0)</a>" }
            ),
            ("Published again", letter.replayedAt.map { DashboardText.time($0, now: at) }),
            ("By", letter.replayedBy.map { "\(name: $0)" }),
        ]
        let body: HTML? = letter.body.map { "<pre class=\"body\" tabindex=\"0\">\($0)</pre>" }
        return PageFrame.page(
            "Dead letter \(letter.id)", at: .deadLetters, for: viewer, updates: .none, notice: notice,
            """
            <section class="card job" aria-labelledby="heading-dead">
            <div class="heading"><h2 id="heading-dead">Dead letter \(letter.id)</h2></div>
            <p class="why">\(name: letter.reason)</p><div class="verbs">\(buttons(letter, viewer))</div></section>
            \(PageFrame.facts("The message", pairs, more: body))
            """)
    }
}

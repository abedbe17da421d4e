import Foundation
import Uploads
import UploadsAPI

/// The page of one delivery, with its attempts.
struct DashboardDeliveryPage: Sendable {
    let story: API.DeliveryStory
    let viewer: DashboardViewer
    let at: Date

    private var delivery: API.Delivery { story.delivery }

    func document(notice: DashboardNotice?) -> HTML {
        let again = viewer.button(
            "Deliver again", title: "Deliver \(delivery.event) again",
            path: ["deliveries", "\(delivery.id)", "replay"],
            of: nil, look: "strong")
        return PageFrame.page(
            "Delivery \(delivery.id)", at: .delegates, for: viewer,
            updates: .fetched("/dashboard/deliveries/\(delivery.id)"), notice: notice,
            """
            <p class="back"><a href="\(DashboardDelegates.path(delivery.delegate))">Delegate \(name: delivery.delegate)</a></p>
            <section class="card job" aria-labelledby="heading-delivery">
            <div class="heading"><h2 id="heading-delivery" class="title">\(name: delivery.event)</h2>\(Self.badge(of: delivery))</div>
            <p class="why">\(delivery.error ?? "No attempt has failed.")</p>
            <p class="facts"><span>recorded \(DashboardText.time(delivery.createdAt, now: at))</span>\
            <span><a href="/dashboard/jobs/\(delivery.job)">the job</a></span></p>
            <div class="verbs">\(again)</div></section>
            <section class="card" aria-labelledby="heading-attempts"><div class="heading"><h2 id="heading-attempts">Attempts</h2>\
            <p class="note">the last ones, the oldest first</p></div>
            \(story.attempts.isEmpty ? DashboardPage.empty("None is known.") : nil)
            <ol class="rows history">\(story.attempts.map { row($0) })</ol></section>
            """)
    }

    static func badge(of delivery: API.Delivery) -> HTML {
        switch delivery.status {
        case "delivered": DashboardPage.badge("Delivered", "good")
        case "failed": DashboardPage.badge("Given up", "bad")
        default: DashboardPage.badge("Waiting", delivery.attempts > 0 ? "warn" : "live")
        }
    }

    private func row(_ attempt: API.Attempt) -> HTML {
        let status = attempt.status.map { "\($0), " } ?? ""
        let answer: HTML? = attempt.answer.map { "<p class=\"facts\"><span>\(name: $0)</span></p>" }
        return """
            <li><span class="when">\(DashboardText.time(attempt.at, now: at))</span> <div>\(status)\
            \(name: attempt.error ?? "taken") <span class="note">in \(DashboardText.figure(attempt.seconds)) s</span>\(answer)</div></li>
            """
    }
}

import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// Verbs for all jobs of a list: the page that asks, and the order.
extension NotifierAPI {
    var bulkPages: [APIRoute] {
        DashboardJobVerb.allCases.flatMap { verb -> [APIRoute] in
            let path = "/dashboard/orders/\(verb.rawValue)"
            return [
                APIRoute(.get, path, query: Set(DashboardJobFilter.fields), role: .operate) { [self] in
                    try await ask(verb, $0)
                },
                APIRoute(.post, path, isOfQueues: true) { [self] in try await order(verb, $0) },
            ]
        }
    }

    private func ask(_ verb: DashboardJobVerb, _ request: APIRequest) async throws -> APIAnswer {
        let now = clock.now()
        let filter = try DashboardJobFilter(request.query).exact(now: now)
        let matching = try filter.orderFilter(for: verb, now: now)
        let command = UploadOrder.Command.matching(verb.order, matching, atMost: nil)
        try await check(command, by: request.caller)
        var preview = try await ledger.preview(matching, for: verb.order, bounds: OrderPreview.Bounds())
        preview.matched = min(preview.matched, DashboardBulkPage.countMaximum)
        let sample =
            preview == OrderPreview(matched: 0)
            ? [] : try await ledger.jobs(matching.listing(for: verb.order, limit: DashboardBulkPage.sampleCount)).jobs
        return .page(
            DashboardBulkPage(
                verb: verb, filter: filter, preview: preview,
                sample: sample.map { API.Job($0, on: progress) }, viewer: DashboardViewer(request.caller), at: now
            ).document)
    }

    /// Orders what the page asked about: as many jobs as it counted, of those that there were then.
    private func order(_ verb: DashboardJobVerb, _ request: APIRequest) async throws -> APIAnswer {
        let form = try request.form(Set(DashboardJobFilter.fields + ["atMost", "at"]))
        guard let atMost = form["atMost"]?.first.flatMap({ Int($0) }),
            (1...DashboardBulkPage.countMaximum).contains(atMost),
            let asked = form["at"]?.first.flatMap({ WireJSON.date($0) }), asked <= clock.now() + 60
        else {
            throw APIProblem.invalid(
                "the form has 'atMost', 1 to \(DashboardBulkPage.countMaximum), and the time at which it was made")
        }
        let filter = DashboardJobFilter(form)
        let command = UploadOrder.Command.matching(
            verb.order, try filter.orderFilter(for: verb, now: asked), atMost: atMost)
        try await check(command, by: request.caller)
        let order = UploadOrder(command, by: request.caller.by(), at: clock.now())
        var notice = Self.notice(try await operations.order(order, patience: Self.patience), verb, atMost)
        if let undo = verb.undo, !notice.isProblem {
            // A paused job may have any status until its worker hands it over.
            var jobs = filter.values
            jobs["status"] = nil
            notice.link = DashboardNotice.Link(
                text: "Undo", path: DashboardBulkPage.path(undo, DashboardJobFilter(jobs)))
        }
        return await answer(request, notice, back: "/dashboard/jobs", query: filter.query())
    }

    private static func notice(_ answer: OrderAnswer?, _ verb: DashboardJobVerb, _ count: Int) -> DashboardNotice {
        guard let answer else {
            return DashboardNotice(
                text: "The order is given and is being carried out; the page Orders tells how it ended.")
        }
        if answer.problem == .tooMany {
            return DashboardNotice(
                text: "\(DashboardText.count(answer.matched, "job")) match now, more than the "
                    + "\(DashboardText.count(count)) that were counted, and nothing was done. Look again.",
                isProblem: true)
        }
        if answer.problem != nil {
            return DashboardNotice(text: answer.reason ?? "The order was not carried out.", isProblem: true)
        }
        let refused = answer.matched - answer.done
        let reason = answer.jobs.lazy.compactMap(\.reason).first.map { ": \($0)" } ?? ""
        return DashboardNotice(
            text: "\(verb.label(DashboardText.count(answer.done, "job"))): done."
                + (refused > 0 ? " \(DashboardText.count(refused)) refused\(reason)." : ""), isProblem: refused > 0)
    }
}

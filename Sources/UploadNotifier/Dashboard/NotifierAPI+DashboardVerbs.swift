import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// The actions of the page's buttons. Each answers with its result: JSON for the script, a redirect to the page with a
/// notice for a form.
extension NotifierAPI {
    /// How long a button waits for the answer to its order.
    static let patience = Duration.seconds(10)

    var dashboardVerbs: [APIRoute] {
        DashboardJobVerb.allCases.flatMap { jobRoutes(of: $0) } + [
            APIRoute(.get, "/dashboard/queues/{name}/stop") { [self] in .page(try await stopQuestion($0)) },
            APIRoute(.post, "/dashboard/queues/{name}/stop", isOfQueues: true) { [self] request in
                let name = try request.name("name")
                return try await answer(
                    request, to: .stopQueues([name]),
                    "Queue \(name) is stopped: workers take no more of its jobs, and running jobs are handed over.")
            },
            APIRoute(.post, "/dashboard/queues/{name}/start", isOfQueues: true) { [self] request in
                let name = try request.name("name")
                return try await answer(request, to: .startQueues([name]), "Queue \(name) goes on.")
            },
        ]
    }

    /// The routes of one verb of a job's page: to do it, and before that the question.
    private func jobRoutes(of verb: DashboardJobVerb) -> [APIRoute] {
        let path = "/dashboard/jobs/{id}/\(verb.rawValue)"
        let post = APIRoute(.post, path, isOfQueues: true) { [self] request in
            let id = try request.jobID()
            let page = try await ledger.job(id) == nil ? "/" : "/dashboard/jobs/\(id.rawValue)"
            return try await answer(request, to: .jobs(verb.order, [id]), verb.done, back: page)
        }
        guard let question = verb.question else { return [post] }
        return [
            APIRoute(.get, path) { [self] request in
                let id = try request.jobID()
                guard let job = try await ledger.job(id) else { throw APIProblem.unknownJob(id) }
                return .page(verb.page(for: API.Job(job, on: progress), question))
            }, post,
        ]
    }

    private func stopQuestion(_ request: APIRequest) async throws -> HTML {
        let name = try request.name("name")
        let load = try await ledger.queues(throughputSince: clock.now()).first { $0.queue == name }
        let running = load?.counts[.running] ?? 0
        let handedOver =
            running > 0
            ? " \(DashboardText.count(running, "running upload")) \(running == 1 ? "is" : "are") handed over at the next part boundary."
            : ""
        return PageFrame.question(
            "Stop queue \(name)?",
            "Workers take none of its jobs until it is started again.\(handedOver) Other queues go on.",
            action: "/dashboard/queues/\(name)/stop", label: "Stop the queue", back: "/")
    }

    func answer(
        _ request: APIRequest, to command: UploadOrder.Command, _ done: String, back: String = "/"
    ) async throws -> APIAnswer {
        try await check(command, by: request.caller)
        let order = UploadOrder(command, by: request.caller.by(), at: clock.now())
        let notice = Self.notice(try await operations.order(order, patience: Self.patience), done)
        return await answer(request, notice, back: back)
    }

    private static func notice(_ answer: OrderAnswer?, _ done: String) -> DashboardNotice {
        guard let answer else {
            return DashboardNotice(text: "The order is given, and is carried out as soon as the notifier comes to it.")
        }
        let refused = answer.jobs.filter { !$0.done }
        guard let reason = refused.first?.reason else { return DashboardNotice(text: done) }
        guard refused.count < answer.matched || answer.matched > 1 else {
            return DashboardNotice(text: "It was refused: \(reason)", isProblem: true)
        }
        return DashboardNotice(text: "\(refused.count) of \(answer.matched) were refused: \(reason)", isProblem: true)
    }

    /// - Parameters:
    ///   - back: the path of the page that shows the notice to a browser without the script.
    ///   - query: of that page.
    func answer(
        _ request: APIRequest, _ notice: DashboardNotice, back: String = "/", query: String = ""
    ) async -> APIAnswer {
        await dashboard.feed.expire()
        if request.wantsJSON { return .json(notice) }
        let query = query.isEmpty ? "" : "\(query)&"
        return .redirect(to: "\(back)?\(query)notice=\(dashboard.notices.keep(notice, at: clock.now()).uuidString)")
    }
}

import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// The actions of the page's buttons. Each answers with its result: JSON for the script, a redirect to the page with a
/// notice for a form.
extension NotifierAPI {
    /// How long a button waits for the answer to its order.
    private static let patience = Duration.seconds(10)

    var dashboardVerbs: [APIRoute] {
        DashboardJobVerb.allCases.flatMap { jobRoutes(of: $0) } + [
            APIRoute(.get, "/dashboard/queues/{name}/stop") { [self] in .page(try await stopQuestion($0)) },
            APIRoute(.post, "/dashboard/queues/{name}/stop") { [self] request in
                let name = try request.name("name")
                return try await answer(
                    request, to: .stopQueues([name]),
                    "Queue \(name) is stopped: workers take no more of its jobs, and running jobs are handed over.")
            },
            APIRoute(.post, "/dashboard/queues/{name}/start") { [self] request in
                let name = try request.name("name")
                return try await answer(request, to: .startQueues([name]), "Queue \(name) goes on.")
            },
            APIRoute(.get, "/dashboard/jobs/run-again", query: ["job"]) { request in
                let ids = try Self.jobs(request.query)
                let jobs = DashboardText.count(ids.count, "failed job")
                return .page(
                    PageFrame.question(
                        "Run \(jobs) again?", "Each begins a new round, with all its attempts.",
                        action: "/dashboard/jobs/run-again", fields: HTML.hidden("job", ids.map(\.rawValue)),
                        label: "Run them again", back: "/"))
            },
            APIRoute(.post, "/dashboard/jobs/run-again") { [self] request in
                let ids = try Self.jobs(try request.form(["job"]))
                return try await answer(
                    request, to: .jobs(.runAgain, ids), "\(DashboardText.count(ids.count, "job")) run again.")
            },
            APIRoute(.post, "/dashboard/delegates/{name}/pause") { [self] request in
                let name = try delegateName(request)
                try await delegates.service().pause(name, by: "dashboard")
                return await answer(
                    request, DashboardNotice(text: "Delegate \(name) is paused; its outcomes are kept."))
            },
            APIRoute(.post, "/dashboard/delegates/{name}/resume") { [self] request in
                let name = try delegateName(request)
                try await delegates.service().resume(name)
                return await answer(request, DashboardNotice(text: "Delegate \(name) is served again."))
            },
        ]
    }

    /// The routes of one verb of a job's page: to do it, and before that the question.
    private func jobRoutes(of verb: DashboardJobVerb) -> [APIRoute] {
        let path = "/dashboard/jobs/{id}/\(verb.rawValue)"
        let post = APIRoute(.post, path) { [self] request in
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

    private static func jobs(_ fields: [String: [String]]) throws -> [JobID] {
        let ids = try fields["job", default: []].map { text in
            guard let id = JobID(text) else { throw APIProblem.invalid("a job's id is a UUID") }
            return id
        }
        guard (1...DashboardModel.listMaximum).contains(ids.count) else {
            throw APIProblem.invalid("1 to \(DashboardModel.listMaximum) jobs are run again at once")
        }
        return ids
    }

    private func delegateName(_ request: APIRequest) throws -> String {
        let name = request.parameters["name"] ?? ""
        guard delegates.summaries.contains(where: { $0.name == name }) else {
            throw APIProblem(.notFound, "no delegate is named '\(name.prefix(64))' any more")
        }
        return name
    }

    private func answer(
        _ request: APIRequest, to command: UploadOrder.Command, _ done: String, back: String = "/"
    ) async throws -> APIAnswer {
        let order = UploadOrder(command, by: "dashboard", at: clock.now())
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
        return DashboardNotice(
            text: "\(answer.done) of \(answer.matched) run again; \(refused.count) were refused: \(reason)",
            isProblem: true)
    }

    /// - Parameter back: the path of the page that shows the notice to a browser without the script.
    private func answer(_ request: APIRequest, _ notice: DashboardNotice, back: String = "/") async -> APIAnswer {
        await dashboard.feed.expire()
        if request.wantsJSON { return .json(notice) }
        return .redirect(to: "\(back)?notice=\(dashboard.notices.keep(notice, at: clock.now()).uuidString)")
    }
}

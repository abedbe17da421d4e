import Foundation
import Hummingbird
import Uploads

/// The actions of the page's buttons. Each answers with its result: JSON for the script, a redirect to the page with a
/// notice for a form.
extension NotifierAPI {
    /// How long a button waits for the answer to its order.
    private static let patience = Duration.seconds(10)

    var dashboardVerbs: [APIRoute] {
        [
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
            APIRoute(.post, "/dashboard/jobs/{id}/run-again") { [self] request in
                try await answer(request, to: .jobs(.runAgain, [try request.jobID()]), "The job runs again.")
            },
            APIRoute(.post, "/dashboard/jobs/run-again") { [self] request in
                let ids = try request.form(["job"])["job", default: []].map { text in
                    guard let id = JobID(text) else { throw APIProblem.invalid("a job's id is a UUID") }
                    return id
                }
                guard (1...DashboardModel.listMaximum).contains(ids.count) else {
                    throw APIProblem.invalid("1 to \(DashboardModel.listMaximum) jobs are run again at once")
                }
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

    private func delegateName(_ request: APIRequest) throws -> String {
        let name = request.parameters["name"] ?? ""
        guard delegates.summaries.contains(where: { $0.name == name }) else {
            throw APIProblem(.notFound, "no delegate is named '\(name.prefix(64))' any more")
        }
        return name
    }

    private func answer(
        _ request: APIRequest, to command: UploadOrder.Command, _ done: String
    ) async throws -> APIAnswer {
        let order = UploadOrder(command, by: "dashboard", at: clock.now())
        return await answer(request, Self.notice(try await operations.order(order, patience: Self.patience), done))
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

    private func answer(_ request: APIRequest, _ notice: DashboardNotice) async -> APIAnswer {
        await dashboard.feed.expire()
        if request.wantsJSON { return .json(notice) }
        return .redirect(to: "/?notice=\(dashboard.notices.keep(notice, at: clock.now()).uuidString)")
    }
}

import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// The pages of workers, and their buttons.
extension NotifierAPI {
    var workerPages: [APIRoute] {
        [
            APIRoute(.get, "/dashboard/workers", query: ["notice", "page", "text"]) { [self] request in
                .page(try workers(request).document(notice: try notice(for: request)))
            },
            APIRoute(.get, "/dashboard/workers/{name}", query: ["notice"]) { [self] in try await workerPage($0) },
        ] + DashboardWorkerVerb.allCases.flatMap { routes(of: $0) }
    }

    private func routes(of verb: DashboardWorkerVerb) -> [APIRoute] {
        [
            APIRoute(.post, "/dashboard/workers/{name}/\(verb.rawValue)") { [self] request in
                let name = try await worker(request)
                // A drained worker that is cut off from the broker has no page.
                let isLive = progress.workers.contains { $0.report.worker == name }
                return try await answer(
                    request, to: verb.command([name]), verb.done([name]),
                    back: isLive ? DashboardWorkerPage.path(name) : DashboardPlace.workers.path)
            },
            APIRoute(.get, verb.bulkPath, query: ["text"], role: .operate) { [self] in
                .page(try workers($0).question(verb))
            },
            APIRoute(.post, verb.bulkPath) { [self] request in
                let names = try request.form(["worker"])["worker"] ?? []
                let known = Set(progress.workers.map(\.report.worker))
                guard (1...UploadOrder.workersMaximum).contains(names.count) else {
                    throw APIProblem.invalid("the form has 'worker' 1 to \(UploadOrder.workersMaximum) times")
                }
                if let gone = names.first(where: { !known.contains($0) }) {
                    throw APIProblem(
                        .notFound, "worker '\(gone)' has ended since the question, and nothing was done; look again")
                }
                return try await answer(
                    request, to: verb.command(names), verb.done(names), back: DashboardPlace.workers.path)
            },
        ]
    }

    private func workers(_ request: APIRequest) throws -> DashboardWorkers {
        // A form sends its empty fields too.
        let text = request.query["text"] == [""] ? nil : try request.text("text")
        return DashboardWorkers(
            progress.workers.map { API.Worker($0) }, text: text ?? "", page: try request.page(),
            viewer: DashboardViewer(request.caller), at: clock.now())
    }

    private func workerPage(_ request: APIRequest) async throws -> APIAnswer {
        let name = try await worker(request)
        guard let worker = progress.workers.first(where: { $0.report.worker == name }).map({ API.Worker($0) }) else {
            throw APIProblem(
                .notFound, "worker '\(name)' is drained and has not reported itself within the last 30 s")
        }
        var jobs: [(job: API.Job, since: Date)] = []
        for running in worker.jobs.prefix(DashboardListPage<API.Job>.size) {
            guard let id = JobID(running.id), let job = try await ledger.job(id) else { continue }
            jobs.append((API.Job(job, on: progress), running.since))
        }
        return .page(
            DashboardWorkerPage(
                worker: worker, jobs: jobs, viewer: DashboardViewer(request.caller), at: clock.now()
            ).document(notice: try notice(for: request)))
    }
}

extension APIRequest {
    /// The number of the page of a long list, from 1.
    func page() throws(APIProblem) -> Int { Int(try integer("page", in: 1...1_000_000) ?? 1) }
}

import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var workerRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/workers") { [self] _ in
                .json(API.WorkerList(workers: progress.workers.map { API.Worker($0) }))
            },
            APIRoute(.post, "/v1/workers/{name}/drain", query: ["wait"]) { [self] in
                try await order($0) { .drainWorkers([$0]) }
            },
            APIRoute(.post, "/v1/workers/{name}/resume", query: ["wait"]) { [self] in
                try await order($0) { .resumeWorkers([$0]) }
            },
        ]
    }

    private func order(
        _ request: APIRequest, _ command: (String) -> UploadOrder.Command
    ) async throws -> APIAnswer {
        let name = try await worker(request)
        let order = UploadOrder(command(name), by: request.caller.by(), at: clock.now())
        return Self.answer(order, try await give(order, request))
    }

    /// The name of a worker that is known.
    func worker(_ request: APIRequest) async throws -> String {
        let name = try request.worker()
        guard await isKnown(name) else {
            throw APIProblem(
                .notFound, "no worker '\(name)' has reported itself within the last 30 s; /v1/workers lists them")
        }
        return name
    }

    /// Whether the worker has reported itself, or is drained: a drained worker that is cut off from the broker can be resumed.
    private func isKnown(_ name: String) async -> Bool {
        if progress.workers.contains(where: { $0.report.worker == name }) { return true }
        return (try? await operations.controlView())?.drainedWorkers.contains(name) ?? false
    }
}

extension APIRequest {
    /// A worker's name in the path, where its '/' is written as %2F.
    fileprivate func worker() throws(APIProblem) -> String {
        guard let name = parameters["name"]?.removingPercentEncoding, !name.isEmpty,
            name.unicodeScalars.count <= WorkerReport.textBytesMaximum
        else {
            throw .invalid(
                "'name' is a worker's name: 1 to \(WorkerReport.textBytesMaximum) characters, percent-encoded as UTF-8")
        }
        return name
    }
}

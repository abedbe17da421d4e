import Hummingbird
import UploadsAPI

extension NotifierAPI {
    var workerRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/workers") { [self] _ in
                .json(API.WorkerList(workers: progress.workers.map { API.Worker($0) }))
            }
        ]
    }
}

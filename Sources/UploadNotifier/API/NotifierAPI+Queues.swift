import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var queueRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/queues") { [self] _ in .json(try await queues()) },
            APIRoute(.get, "/v1/queues/{name}") { [self] in .json(try await queue($0)) },
            APIRoute(.get, "/v1/queues/{name}/line", query: ["after", "limit"]) { [self] in
                .json(try await line($0))
            },
            APIRoute(.post, "/v1/queues/{name}/stop", query: ["wait"], isOfQueues: true) { [self] in
                try await order($0) { .stopQueues([$0]) }
            },
            APIRoute(.post, "/v1/queues/{name}/start", query: ["wait"], isOfQueues: true) { [self] in
                try await order($0) { .startQueues([$0]) }
            },
        ]
    }

    func queues() async throws -> API.QueueList {
        let loads = try await ledger.queues(throughputSince: clock.now())
        let control = try? await operations.controlView()
        let known = Set(loads.map(\.queue))
        let others = (control?.stoppedQueues ?? []).subtracting(known).map { QueueLoad(queue: $0) }
        let all = (loads + others).sorted { $0.queue.rawValue < $1.queue.rawValue }
        let depths = try? await operations.depths(of: all.map(\.queue))
        let heldUp = try await holdUps(of: all)
        return API.QueueList(
            queues: all.map { load in
                API.Queue(
                    load, lanes: depths.map { $0[load.queue] ?? [:] }, control: control,
                    heldUp: heldUp[load.queue] ?? [], pace: paces.pace(of: load.queue))
            })
    }

    func queue(_ request: APIRequest) async throws -> API.Queue {
        let name = try request.name("name")
        guard let queue = try await queues().queues.first(where: { $0.name == name.rawValue }) else {
            throw APIProblem(.notFound, "no job was ever enqueued in a queue '\(name)'; /v1/queues lists them")
        }
        return queue
    }

    private func order(
        _ request: APIRequest, _ command: (QueueName) -> UploadOrder.Command
    ) async throws -> APIAnswer {
        let order = UploadOrder(command(try request.name("name")), by: request.caller.by(), at: clock.now())
        return Self.answer(order, try await give(order, request))
    }
}

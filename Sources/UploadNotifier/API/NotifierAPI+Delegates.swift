import Foundation
import Hummingbird
import Uploads

extension NotifierAPI {
    var delegateRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/delegates") { [self] _ in .json(List(delegates: try await delegateViews())) },
            APIRoute(.get, "/v1/delegates/{name}") { [self] in .json(try await delegate($0)) },
            APIRoute(.post, "/v1/delegates/{name}/pause") { [self] in
                let name = try await delegate($0).name
                try await delegates.service().pause(name, by: "api")
                return .json(try await delegate($0))
            },
            APIRoute(.post, "/v1/delegates/{name}/resume") { [self] in
                let name = try await delegate($0).name
                try await delegates.service().resume(name)
                return .json(try await delegate($0))
            },
            APIRoute(.post, "/v1/delegates/{name}/test") { [self] in
                let name = try await delegate($0).name
                return .json(AttemptView(try await delegates.service().test(name)))
            },
            APIRoute(.post, "/v1/delegates/{name}/replay", query: ["from", "to"], secondsMaximum: 120) { [self] in
                .json(Replayed(count: try await replay($0)))
            },
        ]
    }

    private struct List: Encodable { var delegates: [DelegateView] }

    struct Replayed: Encodable { var count: Int }

    func delegateViews() async throws -> [DelegateView] {
        let statuses = Dictionary(
            uniqueKeysWithValues: try await history.statuses().map { ($0.delegate, $0) })
        return delegates.summaries.map { DelegateView($0, statuses[$0.name]) }
    }

    func delegate(_ request: APIRequest) async throws -> DelegateView {
        let name = request.parameters["name"] ?? ""
        guard let view = try await delegateViews().first(where: { $0.name == name }) else {
            throw APIProblem(.notFound, "no delegate is named '\(name.prefix(64))'; /v1/delegates lists them")
        }
        return view
    }

    /// Of a time, what came up before it was registered included, or without one what was given up.
    private func replay(_ request: APIRequest) async throws -> Int {
        let name = try await delegate(request).name
        let (from, to) = (try request.time("from"), try request.time("to"))
        let service = try delegates.service()
        if from == nil, to == nil { return try await service.replay(.failed(delegate: name), in: history) }
        guard let from, from < (to ?? .distantFuture) else {
            throw APIProblem.invalid("'from' is earlier than 'to'; with neither, what was given up is replayed")
        }
        let end = to ?? clock.now()
        let repeated = try await service.replay(.range(delegate: name, from: from, to: end), in: history)
        guard let route = delegates.route(of: name) else { return repeated }
        return try await repeated + service.deliverPast(route, from: from, to: end, in: history)
    }
}

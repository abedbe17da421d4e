import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var delegateRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/delegates") { [self] _ in .json(API.DelegateList(delegates: try await allDelegates()))
            },
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
                return .json(API.Attempt(try await delegates.service().test(name)))
            },
            APIRoute(.post, "/v1/delegates/{name}/replay", query: ["from", "to"], secondsMaximum: 120) { [self] in
                .json(API.Replayed(count: try await replay($0)))
            },
        ]
    }

    func allDelegates() async throws -> [API.Delegate] {
        let statuses = Dictionary(
            uniqueKeysWithValues: try await history.statuses().map { ($0.delegate, $0) })
        return delegates.summaries.map { API.Delegate($0, statuses[$0.name]) }
    }

    func delegate(_ request: APIRequest) async throws -> API.Delegate {
        let name = request.parameters["name"] ?? ""
        guard let delegate = try await allDelegates().first(where: { $0.name == name }) else {
            throw APIProblem(.notFound, "no delegate is named '\(name.prefix(64))'; /v1/delegates lists them")
        }
        return delegate
    }

    /// With a time range, delivers again every outcome of that range, also those from before the delegate was
    /// registered; without one, the outcomes that were given up. A range that ends before it begins has none.
    private func replay(_ request: APIRequest) async throws -> Int {
        let name = try await delegate(request).name
        let (from, to) = (try request.time("from"), try request.time("to"))
        let service = try delegates.service()
        if from == nil, to == nil { return try await service.replay(.failed(delegate: name), in: history) }
        let (start, end) = (from ?? Date(timeIntervalSince1970: 0), to ?? clock.now())
        guard start < end else { return 0 }
        let repeated = try await service.replay(.range(delegate: name, from: start, to: end), in: history)
        guard let route = delegates.route(of: name) else { return repeated }
        return try await repeated + service.deliverPast(route, from: start, to: end, in: history)
    }
}

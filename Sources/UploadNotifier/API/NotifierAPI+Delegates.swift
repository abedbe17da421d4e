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
                try await pauseDelegate($0)
                return .json(try await delegate($0))
            },
            APIRoute(.post, "/v1/delegates/{name}/resume") { [self] in
                try await resumeDelegate($0)
                return .json(try await delegate($0))
            },
            APIRoute(.post, "/v1/delegates/{name}/test") { [self] request in
                .json(try await testDelegate(request))
            },
            APIRoute(.post, "/v1/delegates/{name}/replay", query: ["from", "to"], secondsMaximum: 120) { [self] in
                .json(API.Replayed(count: try await replay($0)))
            },
        ]
    }

    func testDelegate(_ request: APIRequest) async throws -> API.Attempt {
        let name = try await delegate(request).name
        return try await audited("delegate.test", "delegate \(name)", request) {
            API.Attempt(try await delegates.service().test(name))
        }
    }

    /// - Returns: the delegate's name.
    @discardableResult
    func pauseDelegate(_ request: APIRequest) async throws -> String {
        let name = try await delegate(request).name
        try await audited("delegate.pause", "delegate \(name)", request) {
            try await delegates.service().pause(name, by: request.caller.by())
        }
        return name
    }

    /// - Returns: the delegate's name.
    @discardableResult
    func resumeDelegate(_ request: APIRequest) async throws -> String {
        let name = try await delegate(request).name
        try await audited("delegate.resume", "delegate \(name)", request) {
            try await delegates.service().resume(name)
        }
        return name
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
    func replay(_ request: APIRequest) async throws -> Int {
        let name = try await delegate(request).name
        let (from, to) = (try request.time("from"), try request.time("to"))
        let range = [
            from.map { "from \(WireJSON.timestamp($0))" }, to.map { "to \(WireJSON.timestamp($0))" },
        ].compactMap(\.self).joined(separator: " ")
        let what = range.isEmpty ? "what was given up" : "outcomes \(range)"
        return try await audited("delegate.replay", "\(what) of delegate \(name)", request) {
            try await replay(name, from, to)
        }
    }

    private func replay(_ name: String, _ from: Date?, _ to: Date?) async throws -> Int {
        let service = try delegates.service()
        if from == nil, to == nil { return try await service.replay(.failed(delegate: name), in: history) }
        let (start, end) = (from ?? Date(timeIntervalSince1970: 0), to ?? clock.now())
        guard start < end else { return 0 }
        let repeated = try await service.replay(.range(delegate: name, from: start, to: end), in: history)
        guard let route = delegates.route(of: name) else { return repeated }
        return try await repeated + service.deliverPast(route, from: start, to: end, in: history)
    }
}

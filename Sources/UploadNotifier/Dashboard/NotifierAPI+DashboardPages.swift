import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// The pages of the console besides those of jobs, and their buttons.
extension NotifierAPI {
    var dashboardPages: [APIRoute] {
        [
            APIRoute(.get, "/dashboard/destinations", query: ["notice", "page"]) { [self] request in
                let failures = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
                return .page(
                    DashboardDestinations(
                        try await allDestinations(), page: try request.page(),
                        failures: failures.map { API.FailureGroup($0) }, viewer: DashboardViewer(request.caller),
                        at: clock.now()
                    ).document(notice: try notice(for: request)))
            },
            APIRoute(.get, "/dashboard/queues", query: ["notice", "page"]) { [self] request in
                let queues = try await queues().queues
                return .page(
                    DashboardQueues(
                        queues, page: try request.page(), isBrokerThere: queues.contains { $0.isStopped != nil },
                        viewer: DashboardViewer(request.caller), at: clock.now()
                    ).document(notice: try notice(for: request)))
            },
            APIRoute(.get, "/dashboard/queues/{name}", query: ["notice"]) { [self] in try await queuePage($0) },
            APIRoute(.post, "/dashboard/jobs/{id}/move", isOfQueues: true) { [self] in try await moveJob($0) },
        ] + workerPages + delegatePages + deadLetterPages + bulkPages + historyPages
    }

    private var historyPages: [APIRoute] {
        [
            APIRoute(.get, "/dashboard/history", query: ["period", "queue"]) { [self] request in
                .page(
                    DashboardHistory(
                        history: try await history(request), queue: try request.queue()?.rawValue,
                        viewer: DashboardViewer(request.caller)
                    ).document)
            }
        ]
    }

    private func queuePage(_ request: APIRequest) async throws -> APIAnswer {
        let name = try request.name("name")
        let queue = try await queue(request)
        let page = try await ledger.line(of: name, after: nil, limit: DashboardQueuePage.count)
        let line = API.Line(
            line: page.entries.map { API.LineEntry(position: $0.position, job: API.Job($0.job, on: progress)) },
            waiting: page.waiting, next: page.next)
        return .page(
            DashboardQueuePage(
                queue: queue, line: line, isBrokerThere: queue.isStopped != nil,
                viewer: DashboardViewer(request.caller), at: clock.now()
            ).document(notice: try notice(for: request)))
    }

    private func moveJob(_ request: APIRequest) async throws -> APIAnswer {
        let id = try request.jobID()
        guard let text = try request.form(["to"])["to"]?.first, let place = Int(text), place >= 0 else {
            throw APIProblem.invalid("'to' is how many that wait in the line stay ahead, 0 or more")
        }
        let queue = try await ledger.job(id)?.baton.job.queue.rawValue
        return try await answer(
            request, to: .move([id], .index(place)), "The job was moved.",
            back: queue.map { DashboardQueuePage.path($0) } ?? "/")
    }

    // MARK: Delegates

    private var delegatePages: [APIRoute] {
        [
            APIRoute(.get, "/dashboard/delegates", query: ["notice", "page"]) { [self] request in
                .page(
                    DashboardDelegates(
                        try await allDelegates(), page: try request.page(), viewer: DashboardViewer(request.caller),
                        at: clock.now()
                    ).document(notice: try notice(for: request)))
            },
            APIRoute(.get, "/dashboard/delegates/{name}", query: ["notice", "status", "before"]) { [self] in
                try await delegatePage($0)
            },
            APIRoute(.post, "/dashboard/delegates/{name}/pause") { [self] request in
                let name = try await pauseDelegate(request)
                return await answer(
                    request, DashboardNotice(text: "Delegate \(name) is paused; its outcomes are kept."),
                    back: DashboardDelegates.path(name))
            },
            APIRoute(.post, "/dashboard/delegates/{name}/resume") { [self] request in
                let name = try await resumeDelegate(request)
                return await answer(
                    request, DashboardNotice(text: "Delegate \(name) is served again."),
                    back: DashboardDelegates.path(name))
            },
            APIRoute(.post, "/dashboard/delegates/{name}/replay", secondsMaximum: 120) { [self] request in
                let count = try await replay(request)
                return await answer(
                    request, DashboardNotice(text: "\(DashboardText.count(count, "outcome")) delivered again."),
                    back: DashboardDelegates.path(request.parameters["name"] ?? ""))
            },
            APIRoute(.post, "/dashboard/delegates/{name}/test") { [self] request in
                let name = try await delegate(request).name
                let attempt = try await testDelegate(request)
                let notice =
                    attempt.error.map { DashboardNotice(text: "The test failed: \($0)", isProblem: true) }
                    ?? DashboardNotice(
                        text: "The delegate took the test in \(DashboardText.figure(attempt.seconds)) s.")
                return await answer(request, notice, back: DashboardDelegates.path(name))
            },
            APIRoute(.get, "/dashboard/deliveries/{id}", query: ["notice"]) { [self] request in
                .page(
                    DashboardDeliveryPage(
                        story: try await delivery(request), viewer: DashboardViewer(request.caller), at: clock.now()
                    ).document(notice: try notice(for: request)))
            },
            APIRoute(.post, "/dashboard/deliveries/{id}/replay") { [self] request in
                _ = try await replayDelivery(request)
                return await answer(
                    request, DashboardNotice(text: "The outcome is delivered again."),
                    back: "/dashboard/deliveries/\(try request.number("id"))")
            },
        ]
    }

    private func delegatePage(_ request: APIRequest) async throws -> APIAnswer {
        let delegate = try await delegate(request)
        var asked = request
        asked.query = request.query.filter { $0.key != "notice" }
        asked.query["delegate"] = [delegate.name]
        asked.query["limit"] = ["\(DashboardDelegatePage.count)"]
        return .page(
            DashboardDelegatePage(
                delegate: delegate, status: try request.text("status"), deliveries: try await deliveries(asked),
                viewer: DashboardViewer(request.caller), at: clock.now()
            ).document(notice: try notice(for: request)))
    }

    // MARK: Dead letters

    private var deadLetterPages: [APIRoute] {
        let path = DashboardPlace.deadLetters.path
        return [
            APIRoute(.get, path, query: ["notice", "status", "before"]) { [self] in try await deadLetterList($0) },
            APIRoute(.get, "\(path)/{id}", query: ["notice"]) { [self] request in
                .page(
                    DashboardDeadLetters.document(
                        try await deadLetter(request), viewer: DashboardViewer(request.caller), at: clock.now(),
                        notice: try notice(for: request)))
            },
            APIRoute(.post, "\(path)/{id}/replay") { [self] request in
                let replay = try await replayLetter(request)
                return await answer(
                    request, DashboardNotice(text: "It was published again" + (replay.to.map { " to \($0)." } ?? ".")),
                    back: path)
            },
            APIRoute(.get, "\(path)/{id}/discard") { [self] request in
                let letter = try await deadLetter(request)
                return .page(
                    PageFrame.question(
                        "Discard dead letter \(letter.id)?", "\(name: letter.reason). The message is lost then.",
                        action: "\(path)/\(letter.id)/discard", label: "Discard", back: "\(path)/\(letter.id)"))
            },
            APIRoute(.post, "\(path)/{id}/discard") { [self] request in
                let id = try await discardLetter(request)
                return await answer(request, DashboardNotice(text: "Dead letter \(id) is discarded."), back: path)
            },
        ]
    }

    private func deadLetterList(_ request: APIRequest) async throws -> APIAnswer {
        let status = try request.text("status") ?? DeadLetterStatus.waiting.rawValue
        var asked = request
        asked.query = request.query.filter { $0.key != "notice" }
        asked.query["status"] = [status]
        asked.query["limit"] = ["\(DashboardDeadLetters.count)"]
        return .page(
            DashboardDeadLetters.document(
                try await deadLetters(asked), isWaiting: status == DeadLetterStatus.waiting.rawValue,
                viewer: DashboardViewer(request.caller), at: clock.now(), notice: try notice(for: request)))
    }
}

import CPostgreSQL
import Glibc

/// The work of a connection's thread: one request after the other, each in one round trip.
final class Driver {
    private let core: ConnectionCore
    private var waiting: [Request] = []
    private var running: (request: Request, machine: RequestMachine<LibraryResult>, new: Set<String>)?
    private var prepared = PreparedStatements()
    private var isClosing = false
    /// Whether the server was asked to give up the running request. The question may also reach a later one, so there is none.
    private var isCancelling = false
    /// The time by which the running request has to end.
    private var deadline: ContinuousClock.Instant?

    /// The time that the server has to give up a request.
    private static let cancelLimit = Duration.seconds(10)

    private init(_ core: ConnectionCore) { self.core = core }

    /// Starts the thread that owns a connection.
    static func start(_ core: ConnectionCore) throws(PostgreSQLError) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(core)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Driver(Unmanaged<ConnectionCore>.fromOpaque(argument).takeRetainedValue()).run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw PostgreSQLError(.overloaded, "no thread can be made (errno \(status)): raise the limit of threads")
        }
        pthread_detach(thread)
    }

    private func run() {
        do throws(PostgreSQLError) {
            let link = try Link.open(
                core.configuration, wakeDescriptor: core.wakeDescriptor, isStopped: { core.isAbandonedOrClosing })
            core.opened.resolve(.success(()))
            try serve(link)
            end(ConnectionCore.closed)
        } catch {
            end(error)
        }
    }

    /// Serves the connection until it is closed in order; throws when it is lost.
    private func serve(_ link: Link) throws(PostgreSQLError) {
        while true {
            let commands = core.takeCommands()
            if commands.isAbandoned { return }
            isClosing = isClosing || commands.isClosing
            waiting += commands.requests
            cancel(commands.cancelled, link)
            try link.consume()
            try receive(link)
            while let notification = link.nextNotification() { core.notificationContinuation.yield(notification) }
            if running == nil {
                if isCancelling { throw Self.cancelled }
                if !waiting.isEmpty { try send(waiting.removeFirst(), link) } else if isClosing { return }
            }
            try wait(link, wantsToSend: try link.flush())
        }
    }

    private func send(_ request: Request, _ link: Link) throws(PostgreSQLError) {
        var steps: [(step: RequestMachine<LibraryResult>.Step, statement: Statement?)] = []
        var new: Set<String> = []
        for statement in request.statements {
            let use = prepared.use(.init(sql: statement.sql, types: statement.parameters.map(\.type)))
            if let removed = use.removed { steps.append((.deallocate(removed), nil)) }
            if use.isNew {
                steps.append((.prepare(use.name), statement))
                new.insert(use.name)
            }
            steps.append((.execute(use.name), statement))
        }
        running = (request, RequestMachine(steps.map(\.step)), new)
        deadline = core.configuration.answerTimeout.map { .now + $0 }
        try link.send(steps)
    }

    private func receive(_ link: Link) throws(PostgreSQLError) {
        while let event = link.next(awaitsEndOfStep: running?.machine.awaitsEndOfStep ?? false) {
            guard let outcome = try running?.machine.receive(event) else { continue }
            guard let (request, machine, new) = running else { continue }
            running = nil
            deadline = nil
            core.isInTransaction = link.isInTransaction
            prepared.forget(new.subtracting(machine.prepared))
            request.promise.resolve(
                outcome.map { $0.map(Rows.init) }.mapError { error in
                    // The server says of both ends that the statement was cancelled: by this program, or for its time limit.
                    isCancelling && error.sqlState == "57014" ? Self.cancelled : error
                })
        }
    }

    // MARK: Cancelling

    private static var cancelled: PostgreSQLError {
        PostgreSQLError(.cancelled, "the calling task was cancelled, and the statement with it")
    }

    private func cancel(_ ids: Set<UInt64>, _ link: Link) {
        for request in waiting where ids.contains(request.id) { request.promise.fail(Self.cancelled) }
        waiting.removeAll { ids.contains($0.id) }
        guard let running, ids.contains(running.request.id), !isCancelling else { return }
        isCancelling = true
        deadline = min(deadline ?? .now + Self.cancelLimit, .now + Self.cancelLimit)
        Self.askToCancel(link)
    }

    /// Asks the server over a connection of its own, on a thread of its own, because the library waits there.
    private static func askToCancel(_ link: Link) {
        guard let question = PQgetCancel(link.pointer) else { return }
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { question in
                guard let question else { return nil }
                var text = [CChar](repeating: 0, count: 256)
                let cancel = OpaquePointer(question)
                _ = PQcancel(cancel, &text, CInt(text.count))
                PQfreeCancel(cancel)
                return nil
            }, UnsafeMutableRawPointer(question))
        if status == 0 { pthread_detach(thread) } else { PQfreeCancel(question) }
    }

    // MARK: Waiting and ending

    private func wait(_ link: Link, wantsToSend: Bool) throws(PostgreSQLError) {
        var limit: CInt = -1
        if let deadline {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else {
                throw PostgreSQLError(
                    isCancelling ? .cancelled : .timedOut,
                    "the server did not \(isCancelling ? "give up" : "answer") a statement in time",
                    isOutcomeUnknown: true)
            }
            limit = left.milliseconds
        }
        var descriptors = [
            pollfd(fd: link.descriptor, events: CShort(wantsToSend ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: core.wakeDescriptor, events: CShort(POLLIN), revents: 0),
        ]
        guard poll(&descriptors, nfds_t(descriptors.count), limit) >= 0 || errno == EINTR else {
            throw PostgreSQLError(
                .connectionLost, "waiting for the server failed (errno \(errno))", isOutcomeUnknown: true)
        }
    }

    /// Fails all requests that still wait: of the running one alone the outcome is unknown.
    private func end(_ error: PostgreSQLError) {
        if let running {
            // The server's last words, such as that it shuts down, say more than the library's.
            var reason = running.machine.failure ?? error
            reason.isOutcomeUnknown = true
            running.request.promise.fail(reason)
        }
        var unsent = error
        unsent.isOutcomeUnknown = false
        for request in waiting + core.end(unsent) { request.promise.fail(unsent) }
        core.opened.fail(error)
        core.notificationContinuation.finish()
        core.ended.resolve(.success(()))
    }
}

import CPostgreSQL
import Glibc

/// One connection of the library, in non-blocking and pipeline mode. It belongs to one thread.
final class Link {
    let pointer: OpaquePointer
    let descriptor: CInt

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        descriptor = PQsocket(pointer)
    }

    deinit { PQfinish(pointer) }

    /// Tries the hosts in order until one takes the connection.
    /// - Parameter isStopped: asked again when `wakeDescriptor` becomes readable.
    /// - Throws: the refusal that decides: a refused login before an obstacle that may pass.
    static func open(
        _ configuration: PostgreSQLConfiguration, wakeDescriptor: CInt, isStopped: () -> Bool
    ) throws(PostgreSQLError) -> Link {
        var errors: [PostgreSQLError] = []
        for attempt in configuration.attempts {
            do throws(PostgreSQLError) {
                return try open(
                    attempt.host, attempt.parameters, deadline: .now + configuration.connectTimeout, wakeDescriptor,
                    isStopped)
            } catch {
                if error.code == .closed { throw error }
                errors.append(error)
            }
        }
        guard
            let deciding = errors.first(where: { $0.code == .loginRefused }) ?? errors.first(where: \.isRetryable)
                ?? errors.first
        else { throw PostgreSQLError(.invalidConfiguration, "no host is given") }
        var error = deciding
        error.message = errors.map(\.message).joined(separator: "; ")
        throw error
    }

    private static func open(
        _ host: PostgreSQLConfiguration.Host, _ parameters: [String: String], deadline: ContinuousClock.Instant,
        _ wakeDescriptor: CInt, _ isStopped: () -> Bool
    ) throws(PostgreSQLError) -> Link {
        guard let pointer = start(parameters) else {
            throw PostgreSQLError(.overloaded, "no memory for a connection")
        }
        let attempt = Attempt(pointer: pointer, host: host)
        do throws(PostgreSQLError) {
            // With the verbosity of this level an error of the login has its SQLSTATE.
            PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
            PQsetNoticeReceiver(pointer, { _, _ in }, nil)
            try attempt.finish(by: deadline, wakeDescriptor, isStopped)
            PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
            guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else { throw attempt.failure() }
        } catch {
            PQfinish(pointer)
            throw error
        }
        return Link(pointer)
    }

    private static func start(_ parameters: [String: String]) -> OpaquePointer? {
        let all = Array(parameters)
        let (keys, values) = (all.map { strdup($0.key) }, all.map { strdup($0.value) })
        defer { for text in keys + values { free(text) } }
        let (keywords, texts) = (keys.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil])
        return PQconnectStartParams(keywords, texts, 0)
    }

    /// A connection that is being made.
    private struct Attempt {
        let pointer: OpaquePointer
        let host: PostgreSQLConfiguration.Host

        func finish(
            by deadline: ContinuousClock.Instant, _ wakeDescriptor: CInt, _ isStopped: () -> Bool
        ) throws(PostgreSQLError) {
            guard PQstatus(pointer) != CONNECTION_BAD else { throw failure() }
            var wants = PGRES_POLLING_WRITING
            while wants != PGRES_POLLING_OK {
                guard wants != PGRES_POLLING_FAILED else { throw failure() }
                if isStopped() { throw ConnectionCore.closed }
                let events = CShort(wants == PGRES_POLLING_READING ? POLLIN : POLLOUT)
                var descriptors = [
                    pollfd(fd: PQsocket(pointer), events: events, revents: 0),
                    pollfd(fd: wakeDescriptor, events: CShort(POLLIN), revents: 0),
                ]
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else {
                    throw PostgreSQLError(.timedOut, "\(host) did not answer in time")
                }
                let count = poll(&descriptors, nfds_t(descriptors.count), left.milliseconds)
                guard count >= 0 || errno == EINTR else {
                    throw PostgreSQLError(.connectionRefused, "waiting for \(host) failed (errno \(errno))")
                }
                if descriptors[0].revents != 0 { wants = PQconnectPoll(pointer) }
                if descriptors[1].revents != 0 { drain(wakeDescriptor) }
            }
        }

        func failure() -> PostgreSQLError {
            let text = LibraryText.line(PQerrorMessage(pointer))
            // "… failed: FATAL:  28P01: password authentication failed for user "x"; LOCATION:  auth_failed, auth.c:337"
            let message = String(text.prefix(upTo: text.firstRange(of: "; LOCATION:")?.lowerBound ?? text.endIndex))
            guard let match = message.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else {
                return PostgreSQLError(.connectionRefused, message)
            }
            let state = String(match.1)
            let code = PostgreSQLError.Code(sqlState: state)
            return PostgreSQLError(
                code == .connectionLost ? .connectionRefused : code, message.replacing("\(state): ", with: ""),
                sqlState: state)
        }
    }

    // MARK: Requests

    /// Puts a request into the library's buffer.
    /// - Parameter steps: each with its statement, if that matters.
    /// - Throws: `.connectionLost`; nothing of the request took effect then, because its synchronisation point was not sent.
    func send(_ steps: [(step: RequestMachine<LibraryResult>.Step, statement: Statement?)]) throws(PostgreSQLError) {
        for (step, statement) in steps {
            let isSent: Bool =
                switch step {
                case .prepare(let name): prepare(name, statement)
                case .deallocate(let name):
                    PQsendQueryParams(pointer, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1
                case .execute(let name): execute(name, statement?.parameters ?? [])
                }
            guard isSent else { throw lost() }
        }
        guard PQpipelineSync(pointer) == 1 else { throw lost() }
    }

    private func prepare(_ name: String, _ statement: Statement?) -> Bool {
        let types = (statement?.parameters ?? []).map { Oid($0.type) }
        return PQsendPrepare(pointer, name, statement?.sql ?? "", CInt(types.count), types) == 1
    }

    private func execute(_ name: String, _ parameters: [Parameter]) -> Bool {
        // All values in one buffer, so that one pointer keeps them alive.
        var buffer: [UInt8] = []
        let ranges = parameters.map { parameter -> Range<Int>? in
            guard let bytes = parameter.bytes else { return nil }
            buffer += bytes
            return buffer.count - bytes.count..<buffer.count
        }
        buffer.append(0)
        return buffer.withUnsafeBufferPointer { buffer -> Bool in
            let values = ranges.map { range in
                range.flatMap { range in
                    buffer.baseAddress.map {
                        UnsafeRawPointer($0 + range.lowerBound).assumingMemoryBound(to: CChar.self)
                    }
                }
            }
            let lengths = ranges.map { CInt($0?.count ?? 0) }
            let formats = ranges.map { _ in CInt(1) }
            return PQsendQueryPrepared(pointer, name, CInt(values.count), values, lengths, formats, 1) == 1
        }
    }

    /// Sends what the socket takes. - Returns: whether more waits.
    func flush() throws(PostgreSQLError) -> Bool {
        let status = PQflush(pointer)
        guard status >= 0 else { throw lost() }
        return status == 1
    }

    /// Reads what the socket has.
    func consume() throws(PostgreSQLError) {
        guard PQconsumeInput(pointer) == 1 else { throw lost() }
    }

    /// The next answer that has come whole.
    func next(awaitsEndOfStep: Bool) -> RequestMachine<LibraryResult>.Event? {
        guard PQisBusy(pointer) == 0 else { return nil }
        guard let result = PQgetResult(pointer).map(LibraryResult.init) else {
            return awaitsEndOfStep ? .endOfStep : nil
        }
        return switch result.status {
        case PGRES_PIPELINE_SYNC: .synchronised
        case PGRES_PIPELINE_ABORTED: .skipped
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: .answer(result)
        default: .failed(result.error())
        }
    }

    /// Whether a transaction is open, as of the last synchronisation.
    var isInTransaction: Bool { PQtransactionStatus(pointer) != PQTRANS_IDLE }

    func nextNotification() -> Notification? {
        guard let pointer = PQnotifies(pointer) else { return nil }
        defer { PQfreemem(pointer) }
        let notify = pointer.pointee
        return Notification(
            channel: String(cString: notify.relname), payload: notify.extra.map { String(cString: $0) } ?? "",
            process: notify.be_pid)
    }

    private func lost() -> PostgreSQLError {
        PostgreSQLError(.connectionLost, LibraryText.line(PQerrorMessage(pointer)), isOutcomeUnknown: true)
    }
}

extension Duration {
    /// Rounded up, for `poll`.
    var milliseconds: CInt {
        let (seconds, attoseconds) = components
        return CInt(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

/// Empties the counter of an event descriptor.
func drain(_ descriptor: CInt) {
    var counter: UInt64 = 0
    _ = read(descriptor, &counter, 8)
}

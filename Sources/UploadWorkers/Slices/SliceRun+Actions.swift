import Foundation
import Synchronization
import Uploads

/// Carries out the actions that the slice machine decides on.
extension SliceRun {
    func perform(_ action: SliceAction, _ tickets: Tickets) async -> SliceFact? {
        switch action {
        case .checkValidity: return .validity(await claimed.validity())
        case .tellStarted(let state): return await tellStarted(state)
        case .findDestination: return findDestination()
        case .examineSource: return await requests.run(tickets.request) { await self.examineSource() }
        case .claimSource: return await claimSource()
        case .sendPart(let index): return await sendPart(index, tickets)
        case .waitToRetry(let index, let milliseconds):
            guard (try? await runner.clock.sleep(for: .milliseconds(milliseconds))) != nil else { return nil }
            return .retryDue(index)
        case .awaitLastAnswers(let milliseconds):
            guard (try? await runner.clock.sleep(for: .milliseconds(milliseconds))) != nil else { return nil }
            return .lastAnswersDue
        case .complete(let condition):
            // A session without a state cannot be resumed, and its one part was the object: its completion sends no request.
            if open.withLock({ $0.session?.state != nil }), let withdrawn = await turn(tickets) { return withdrawn }
            return await requests.run(tickets.request) { await self.complete(condition) }
        case .readBack(let begin): return await requests.run(tickets.request) { await self.readBack(begin) }
        case .removeStagedCopy:
            return await answer { () throws(UploadError) in
                try await self.runner.sources.removeStagedCopy(of: self.baton.job)
                return .stagedCopyRemoved
            }
        case .probe(let state):
            return await inTurn(tickets) { destination throws(UploadError) in
                .probed(try await destination.probe(self.baton.job, state: state))
            }
        case .open(let state, let condition):
            return await inTurn(tickets) { destination throws(UploadError) in
                try await self.openSession(at: destination, resuming: state, condition: condition)
            }
        case .discard(let state):
            // A discard whose turn was called off runs out of turn, so that nothing is left at the destination.
            _ = await turn(tickets)
            return await atDestination { destination throws(UploadError) in
                try await destination.discard(state, of: self.baton.job)
                return .discarded
            }
        case .withdrawTurns, .cancelRequests, .settle: return nil
        }
    }

    private func answer(_ step: () async throws(UploadError) -> SliceFact) async -> SliceFact {
        do {
            return try await step()
        } catch {
            return .failed(error)
        }
    }

    private func inTurn(
        _ tickets: Tickets, _ step: (any Destination) async throws(UploadError) -> SliceFact
    ) async -> SliceFact? {
        if let withdrawn = await turn(tickets) { return withdrawn }
        return await atDestination(step)
    }

    private func atDestination(
        _ step: (any Destination) async throws(UploadError) -> SliceFact
    ) async -> SliceFact? {
        guard let destination = open.withLock({ $0.destination }) else { return nil }
        do {
            return try await step(destination)
        } catch {
            return .failed(error)
        }
    }

    static let withdrawn = UploadError(
        .interrupted, "the step was called off before its turn came: do it again")

    private static let notCopied = UploadError(
        .invalidResponse, "the destination claims to hold parts that were not sent to it: the upload is not completed",
        retry: .afterBackoff)

    /// Waits until the destination's limit lets another step begin.
    /// - Returns: nil when the step may begin, else the answer to a step that was called off before.
    private func turn(_ tickets: Tickets) async -> SliceFact? {
        // Most destinations have no limit, and need no task that could be called off.
        guard open.withLock({ $0.pace }) != nil else { return nil }
        let fact = await turns.run(tickets.turn) { await self.takeTurn() ? .begun : .turnWithdrawn }
        return fact == .begun ? nil : fact
    }

    /// - Returns: false when the step was called off before its turn.
    func takeTurn() async -> Bool {
        guard let pace = open.withLock({ $0.pace }) else { return true }
        return (try? await pace.requests.take(1, isUrgent: claimed.lane == .urgent)) != nil
    }

    private func tellStarted(_ state: UploadState?) async -> SliceFact {
        open.withLock { $0.isStartedTold = true }
        return await answer { () throws(UploadError) in
            try await self.claimed.started(state: state)
            return .toldStarted
        }
    }

    private func findDestination() -> SliceFact {
        do {
            guard let destination = try runner.destinations.destination(for: baton.job.destination) else {
                return .destinationUnknown
            }
            let traffic = runner.traffics.begin(baton.job.destination)
            let former = open.withLock { open in
                defer { open.traffic = traffic }
                return open.traffic
            }
            former?.jobEnds()
            let now = runner.now()
            var way = DestinationFacts.Way.free
            var entry: Circuits.Entry?
            var servedAt: Date?
            let isOrdered = baton.isCancel || (baton.isIssued && baton.slice == 0)
            switch runner.circuits.enter(baton.job.destination, isOrdered: isOrdered) {
            case .granted(let granted, let ago):
                if let pass = granted?.pass, pass.isTrial { way = .trial(pass.ability) }
                (entry, servedAt) = (granted, ago.map { now - $0 })
            case .refused(let seconds, let error): way = .blocked(until: now + seconds, error)
            }
            let (origin, sourceWay) = findOrigin(isOrdered: isOrdered)
            open.withLock { [entry] open in
                open.destination = destination
                open.circuit = entry
                open.pace = runner.paces.pace(of: baton.job.destination)
                open.origin = origin
            }
            return .destinationFound(
                DestinationFacts(
                    driver: destination.driver, canYield: destination.canYield(baton.job),
                    parts: parts(from: origin?.reference, within: destination.limits), way: way,
                    sourceWay: sourceWay,
                    retry: runner.destinations.retry(for: baton.job.destination),
                    patience: runner.destinations.patience(for: baton.job.destination), servedAt: servedAt,
                    readBackProblem: baton.job.verify ? Self.readBackProblem(of: baton.job, at: destination) : nil))
        } catch {
            return .failed(error)
        }
    }

    /// The place that the source is read from, and whether its circuit lets the slice read.
    private func findOrigin(isOrdered: Bool) -> (Origin?, DestinationFacts.Way) {
        guard let reference = runner.sources.origin(of: baton.job) else { return (nil, .free) }
        let pace = runner.paces.pace(of: reference)
        // The destination's own circuit says what is to be known of the same place.
        guard DestinationOrigin(reference) != DestinationOrigin(baton.job.destination) else {
            return (Origin(reference: reference, pace: pace, isApart: false, circuit: nil), .free)
        }
        func origin(_ circuit: Circuits.Entry?) -> Origin {
            Origin(reference: reference, pace: pace, isApart: true, circuit: circuit)
        }
        switch runner.circuits.enter(reference, isOrdered: isOrdered, for: CircuitEvidence.read) {
        case .granted(let entry, _):
            guard let pass = entry?.pass, pass.isTrial else { return (origin(entry), .free) }
            return (origin(entry), .trial(pass.ability))
        case .refused(let seconds, let error):
            let error = UploadError(
                error.code, "the source is at '\(reference.label)': \(error.message)", retry: error.retry,
                response: error.response)
            return (origin(nil), .blocked(until: runner.now() + seconds, error))
        }
    }

    /// Waits until the limit of jobs of the place that the source is read from lets another one read.
    /// - Returns: nil when the job may read.
    private func takeSeat() async -> SliceFact? {
        guard let origin = open.withLock({ $0.origin }), origin.isApart, origin.seat == nil,
            case .named(let name, _) = origin.reference
        else { return nil }
        guard let seat = await runner.seats.take(at: origin.reference, name) else {
            return .sourceLimited(
                UploadError(
                    .rateLimited,
                    "worker \(runner.configuration.name) reads as many jobs at once from '\(name)' as its limit of jobs says: raise the "
                        + "limit, or start another worker", retry: .pause(seconds: OriginSeats.patience / .seconds(1))))
        }
        open.withLock { $0.origin?.seat = seat }
        return nil
    }

    private func told(_ error: UploadError) -> UploadError {
        open.withLock { $0.origin?.isApart } == true ? error.ofSource : error
    }

    /// How many parts of one job may run at once by the limits of its destination and of the place that its source is read from.
    private func parts(from origin: DestinationReference?, within limits: TransferLimits) -> Int? {
        let place = origin.flatMap { try? runner.destinations.destination(for: $0) }
        return [parts(within: limits), place.flatMap { parts(within: $0.limits) }].compactMap(\.self).min()
    }

    /// How many parts of one job may run at once: no more than take about 10 s at the destination's limit, since all stop together.
    private func parts(within limits: TransferLimits) -> Int? {
        guard let rate = limits.bytesPerSecond else { return limits.parts }
        let parts = max(1, Int(clamping: rate * 10 / (8 << 20)))
        return min(limits.parts ?? parts, parts)
    }

    private func examineSource() async -> SliceFact {
        if let limited = await takeSeat() { return limited }
        do {
            try? await open.withLock { $0.origin?.pace }?.requests.take(1)
            switch try await runner.sources.examine(baton.job) {
            case .found(let job): return .sourceExamined(job)
            case .gone: return .sourceGone
            case .unknownOrigin(let origin): return .sourceOriginUnknown(origin)
            }
        } catch {
            return .failed(told(error))
        }
    }

    private func claimSource() async -> SliceFact {
        if let limited = await takeSeat() { return limited }
        do {
            // Rule 9: epoch and lock. Opening a staged copy takes its lock, where its staging area has locks.
            switch try await runner.sources.claim(baton.job) {
            case .claimed(let source):
                if let checksums = baton.state?.checksums { source.take(checksums) }
                let isUrgent = claimed.lane == .urgent
                open.withLock { open in
                    var paced: any UploadSource = source
                    if let origin = open.origin {
                        paced = OriginSource(
                            source: paced, pace: origin.pace, isUrgent: isUrgent, isApart: origin.isApart)
                    }
                    if let pace = open.pace { paced = PacedSource(source: paced, pace: pace, isUrgent: isUrgent) }
                    open.source = paced
                }
                if case .staged = baton.job.source, !source.isLocked { return .sourceUnlocked }
                return .sourceClaimed
            case .busy: return .sourceBusy
            case .gone: return .sourceGone
            case .unknownArea(let area): return .sourceAreaUnknown(area)
            case .unknownOrigin(let origin): return .sourceOriginUnknown(origin)
            }
        } catch {
            return .failed(told(error))
        }
    }

    private func openSession(
        at destination: any Destination, resuming state: UploadState?, condition: WriteCondition
    ) async throws(UploadError) -> SliceFact {
        let session =
            if let destination = destination as? any RoundDestination {
                try await destination.open(baton.job, round: baton.round, resuming: state)
            } else {
                try await destination.open(baton.job, resuming: state)
            }
        session.prepare(for: condition)
        if state != nil, let source = open.withLock({ $0.source }) {
            do throws(UploadError) {
                try await session.verify(against: source)
            } catch {
                await session.close()
                throw error
            }
        }
        let missing = session.missing
        let former = open.withLock { open in
            defer {
                open.session = session
                open.missing = missing
            }
            return open.session
        }
        await former?.close()
        meter.begin(
            held: session.plan.size - missing.reduce(0) { $0 + $1.size }, partBytes: session.plan.partSize)
        var facts = SessionFacts(
            state: carried(session.state), partCount: session.plan.count, missingCount: missing.count,
            bytesMissing: session.plan.size - session.bytesHeld)
        facts.isAsked = state?.isUntouched != true
        return .opened(facts)
    }

    private func sendPart(_ index: Int, _ tickets: Tickets) async -> SliceFact? {
        let (session, source, part, traffic) = open.withLock {
            ($0.session, $0.source, $0.missing[index], $0.traffic)
        }
        guard let session, let source else { return nil }
        do {
            guard try await source.isAvailable(part.range) else { return .partNotCopied(index) }
        } catch {
            return .partFailed(index, error)
        }
        if await turn(tickets) != nil { return .partFailed(index, Self.withdrawn) }
        // Rule 1: lineage. Each part asks whether the baton still counts.
        let validity = await claimed.validity()
        if validity != .holds { tell(.lost(validity)) }
        guard validity != .superseded, validity != .disconnected else { return nil }
        return await requests.run(tickets.request) { [meter, traffics = runner.traffics] in
            traffic?.partBegins()
            defer { traffic?.partEnds() }
            do throws(UploadError) {
                try await session.upload(part, from: source) { count in
                    meter.add(count, part: part.number)
                    traffics.sent(count, to: traffic)
                }
                meter.accept(part)
                return .partAccepted(index, self.carried(session.state))
            } catch {
                meter.reject(part)
                return .partFailed(index, error, self.carried(session.state))
            }
        }
    }

    /// The session's state with what is known of the source, for the slices that follow.
    private func carried(_ state: UploadState?) -> UploadState? {
        guard var state, let checksums = open.withLock({ $0.source?.checksums }) else { return state }
        state.checksums = checksums
        return state
    }

    private func complete(_ condition: WriteCondition) async -> SliceFact {
        let (session, source) = open.withLock { ($0.session, $0.source) }
        guard let session, let source else {
            return .failed(UploadError(.unknown, "an upload was to be completed without an open session"))
        }
        // Without a state the one part was the object, and it is complete: a change of the source after its last bytes were checked and
        // sent does not undo that.
        let isMade = session.state == nil
        do throws(UploadError) {
            if !isMade {
                // Only a destination that claims to hold parts which were never sent gets here before the copy has its seal.
                guard try await source.isAvailable(0..<source.size) else { throw Self.notCopied }
                try await source.verifyUnchanged()
                try await source.readUnread()
            }
            var digests = baton.job.digests
            if digests.crc64nvme == nil {
                let whole = 0..<source.size
                let checksum = isMade ? try? await source.checksum(of: whole) : try await source.checksum(of: whole)
                digests.crc64nvme = checksum?.hexadecimal
                session.note(digests)
            }
            var upload = try await session.complete(condition)
            if upload.object.digests.crc64nvme == nil { upload.object.digests.crc64nvme = digests.crc64nvme }
            return .completed(upload)
        } catch {
            return .failed(error)
        }
    }
}

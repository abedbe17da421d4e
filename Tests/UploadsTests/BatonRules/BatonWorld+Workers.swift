import Uploads

/// A worker's driver: carries out what its machine asks for, and settles as the plan says.
extension BatonWorld {
    func go(on worker: Int, into next: inout [Next]) {
        guard let held = workers[worker].held else { return }
        if held.isCutOff {
            add(.learn(worker: worker), to: &next) { $0.workers[worker].held = nil }
        } else if budget.crashes > 0 {
            add(.kill(worker: worker), to: &next) { world in
                world.breakSomething(\.crashes)
                if !isAcknowledgedFirst(held) { world.deliverAgain(held) }
                // A worker that starts reads the log up to now before it takes anything.
                world.workers[worker] = Worker(seen: world.log.count - 1)
            }
            if !isAcknowledgedFirst(held) {
                add(.cutOff(worker: worker), to: &next) { world in
                    world.breakSomething(\.crashes)
                    world.deliverAgain(held)
                    world.workers[worker].held?.isCutOff = true
                }
            }
        }
        switch held.phase {
        case .passing(let isTold): pass(held, isTold: isTold, by: worker, into: &next)
        case .working(_, let asked):
            for action in asked { perform(action, by: worker, into: &next) }
            if budget.drains > 0 {
                add(.drain(worker: worker), to: &next) { world in
                    world.budget.drains -= 1
                    world.disturbances += 1
                    world.tell(.yieldRequested(.drain), to: worker)
                }
            }
        case .settling(let plan, let stage, let done):
            settle(book.plans[plan], stage, done: done, by: worker, into: &next)
        }
    }

    // MARK: Suspects

    private func pass(_ held: Held, isTold: Bool, by worker: Int, into next: inout [Next]) {
        guard !isTold else {
            return add(.acknowledge(worker: worker), to: &next) { $0.workers[worker].held = nil }
        }
        let event = UploadEvent(kind: .suspect, of: book.batons[held.baton], at: RuleBook.now)
        for confirm in [BatonStep.Confirm.confirmed, .repeated] where confirm == .confirmed || budget.confirms > 0 {
            add(.publish(worker: worker, "a suspect", confirm), to: &next) { world in
                world.tellNotifier(event, confirm)
                world.workers[worker].held?.phase = .passing(isTold: true)
            }
        }
    }

    private mutating func tellNotifier(_ event: UploadEvent, _ confirm: BatonStep.Confirm) {
        let message = book.news.number(of: .message(.event(event)))
        queue.append(message)
        guard confirm != .confirmed else { return }
        breakSomething(\.confirms)
        queue.append(message)
    }

    // MARK: A slice

    /// Gives a machine a fact, and carries out at once the actions that others cannot see.
    mutating func tell(_ fact: SliceFact, to worker: Int) {
        var facts = [fact]
        while let fact = facts.popLast() {
            guard let held = workers[worker].held, case .working(let machine, var asked) = held.phase else { return }
            let answer = book.tell(fact, to: machine)
            for number in answer.actions {
                switch book.actions[number] {
                case .checkValidity: facts.append(.validity(validity(of: worker)))
                case .findDestination:
                    facts.append(.destinationFound(DestinationFacts(driver: "model", canYield: isStaged)))
                case .waitToRetry(let part, _): facts.append(.retryDue(part))
                case .withdrawTurns: break
                // Inline bytes need no source, and a session of one request asks nothing to open or complete.
                case .claimSource where !isStaged, .open where !isStaged, .complete where !isStaged:
                    facts.append(carryOut(book.actions[number], by: worker))
                case .cancelRequests:
                    for request in asked {
                        guard case .sendPart(let part) = book.actions[request] else { continue }
                        facts.append(.partFailed(part, UploadError(.cancelled, "called off: send it again")))
                    }
                    asked.removeAll { if case .sendPart = book.actions[$0] { true } else { false } }
                case .settle(let settlement):
                    return close(settlement, by: worker, machine: answer.machine)
                default: asked.append(number)
                }
            }
            if workers[worker].held != nil {
                workers[worker].held?.phase = .working(machine: answer.machine, asked: asked)
            }
        }
    }

    /// Source and session are closed, and with them the lock, before anything is published.
    private mutating func close(_ settlement: Settlement, by worker: Int, machine: Int32) {
        guard var held = workers[worker].held else { return }
        held.hasLock = false
        let plan = book.plan(for: settlement, of: held.baton, by: machine)
        held.phase = .settling(plan: plan, stage: 0, done: 0)
        // A slice that was abandoned publishes nothing.
        workers[worker].held = book.plans[plan].isEmpty ? nil : held
    }

    private func perform(_ action: Int32, by worker: Int, into next: inout [Next]) {
        let wanted = book.actions[action]
        // Like the worker, asks for the validity before each part.
        if case .sendPart = wanted {
            let validity = validity(of: worker)
            if validity == .superseded || validity == .disconnected {
                return add(.perform(worker: worker, action, .arrives), to: &next) { world in
                    world.tell(.lost(validity), to: worker)
                }
            }
        }
        add(.perform(worker: worker, action, .arrives), to: &next) { world in
            world.answered(action, by: worker)
            let fact = world.carryOut(wanted, by: worker)
            world.tell(fact, to: worker)
        }
        guard budget.answers > 0 else { return }
        for (answer, changes) in wanted.faults {
            add(.perform(worker: worker, action, answer), to: &next) { world in
                world.breakSomething(\.answers)
                world.answered(action, by: worker)
                if changes { _ = world.carryOut(wanted, by: worker) }
                let error =
                    answer == .refused
                    ? UploadError(.accessDenied, "refused: ask for access")
                    : UploadError(.networkFailure, "no answer: try again")
                world.tell(wanted.failure(error), to: worker)
            }
        }
    }

    private mutating func answered(_ action: Int32, by worker: Int) {
        guard case .working(let machine, var asked)? = workers[worker].held?.phase else { return }
        asked.removeAll { $0 == action }
        workers[worker].held?.phase = .working(machine: machine, asked: asked)
    }

    /// What a step does to the world, and its answer.
    private mutating func carryOut(_ action: SliceAction, by worker: Int) -> SliceFact {
        switch action {
        case .tellStarted(let state):
            guard var baton = workers[worker].held.map({ book.batons[$0.baton] }) else { return .toldStarted }
            baton.state = state
            baton.startedAt = baton.startedAt ?? RuleBook.now
            tellNotifier(UploadEvent(kind: .started, of: baton, at: RuleBook.now), .confirmed)
            return .toldStarted
        case .claimSource:
            guard isStaged else { return .sourceClaimed }
            guard hasCopy else { return .sourceGone }
            guard locks else { return .sourceUnlocked }
            if mutation != .locksNothing, workers.contains(where: { $0.held?.hasLock == true }) { return .sourceBusy }
            workers[worker].held?.hasLock = true
            return .sourceClaimed
        case .removeStagedCopy:
            copy = .removed
            return .stagedCopyRemoved
        default: return atDestination(action, by: worker)
        }
    }

    // MARK: Settling

    private func isAcknowledgedFirst(_ held: Held) -> Bool {
        guard mutation == .acknowledgesFirst, case .settling = held.phase else { return false }
        return true
    }

    private func settle(
        _ stages: [[SettlementPlan.Step]], _ stage: Int, done: Int, by worker: Int, into next: inout [Next]
    ) {
        for (index, step) in stages[stage].enumerated() where done & 1 << index == 0 {
            switch step {
            case .handOn(let onward):
                for confirm in [BatonStep.Confirm.confirmed, .repeated, .flagged]
                where confirm == .confirmed || budget.confirms > 0 {
                    add(.publish(worker: worker, "the baton's next slice", confirm), to: &next) { world in
                        let awaited = world.workers[worker].held?.awaited ?? .none
                        world.hand(onward, for: awaited, confirm)
                        world.finish(stages, index, by: worker)
                    }
                }
            case .tell(let event):
                for confirm in [BatonStep.Confirm.confirmed, .repeated]
                where confirm == .confirmed || budget.confirms > 0 {
                    add(.publish(worker: worker, "'\(event.kind.rawValue)'", confirm), to: &next) { world in
                        world.tellNotifier(event, confirm)
                        world.finish(stages, index, by: worker)
                    }
                }
            case .removeStagedCopy:
                add(.publish(worker: worker, "nothing, and removes the staged copy", .confirmed), to: &next) { world in
                    world.copy = .removed
                    world.finish(stages, index, by: worker)
                }
            case .acknowledge:
                add(.acknowledge(worker: worker), to: &next) { $0.workers[worker].held = nil }
            }
        }
    }

    private mutating func finish(_ stages: [[SettlementPlan.Step]], _ index: Int, by worker: Int) {
        guard case .settling(let plan, let stage, var done)? = workers[worker].held?.phase else { return }
        done |= 1 << index
        let isOver = done == 1 << stages[stage].count - 1
        workers[worker].held?.phase =
            isOver
            ? .settling(plan: plan, stage: stage + 1, done: 0) : .settling(plan: plan, stage: stage, done: done)
    }

    private mutating func hand(
        _ onward: SettlementPlan.Onward, for awaited: Parcel.Wait, _ confirm: BatonStep.Confirm
    ) {
        var parcel = Parcel(baton: book.batons.number(of: onward.baton), wait: onward.wait(for: awaited))
        if confirm != .flagged { lane.append(parcel) }
        guard confirm != .confirmed else { return }
        breakSomething(\.confirms)
        parcel.isFlagged = mutation != .flagsNothing
        lane.append(parcel)
    }
}

extension SettlementPlan.Onward {
    /// The reason for the wait: seconds mean nothing here.
    /// - Parameter awaited: what a slice that waits for more of its copy found missing.
    fileprivate func wait(for awaited: BatonWorld.Parcel.Wait) -> BatonWorld.Parcel.Wait {
        let rules = SliceRules()
        return switch delay {
        case nil: .none
        case rules.pauseDelay?: .pause
        case rules.cancelSettleDelay?: .settling
        case rules.lockedDelay?: .lock
        case rules.copyDelay(after: 0)?: awaited
        default: .none
        }
    }
}

extension SliceAction {
    /// How its answer may fail to come, and whether the step is done in spite of that.
    fileprivate var faults: [(BatonStep.Answer, changes: Bool)] {
        switch self {
        case .open, .sendPart, .complete: [(.lost, true), (.refused, false)]
        case .discard: [(.lost, true)]
        case .probe: [(.failed, false)]
        default: []
        }
    }

    fileprivate func failure(_ error: UploadError) -> SliceFact {
        if case .sendPart(let part) = self { .partFailed(part, error) } else { .failed(error) }
    }
}

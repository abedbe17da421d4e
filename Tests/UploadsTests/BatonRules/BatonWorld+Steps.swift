import Uploads

/// The steps that can happen next.
extension BatonWorld {
    typealias Next = (step: BatonStep, world: BatonWorld)

    func successors() -> [Next] {
        var next: [Next] = []
        // A step that commutes with every step of the others is done first: a history stays the same with that step
        // moved forward, so the others' steps need not be tried before it.
        if goesFirst {
            goOnNotifying(into: &next)
            return next
        }
        if let worker = workers.indices.first(where: { goesFirst($0) }) {
            go(on: worker, into: &next)
            return next
        }
        for worker in workers.indices {
            if workers[worker].held == nil { take(by: worker, into: &next) } else { go(on: worker, into: &next) }
            if readsLog(worker) { add(.read(worker: worker), to: &next) { $0.readLog(worker) } }
        }
        goOnNotifying(into: &next)
        goOnOvertaken(into: &next)
        goOnCopying(into: &next)
        if budget.losses > 0 { lose(into: &next) }
        if budget.verbs > 0 {
            for verb in verbs {
                add(.order(verb), to: &next) { world in
                    world.budget.verbs -= 1
                    world.disturbances += 1
                    world.queue.append(world.book.news.number(of: .verb(verb)))
                }
            }
        }
        return next
    }

    /// Whether the notifier's next step is visible to no other process, or only adds something that keeps no process
    /// from a step: the notifier reads its queue in order, lanes are bags, and a published outcome stays published.
    /// Markers do not go first, because their order with the workers' events counts, nor do log entries that may end a
    /// wait or keep it from ending.
    private var goesFirst: Bool {
        // Of two notifiers each sees what the other one publishes.
        guard overtaken.isEmpty else { return false }
        guard notifier.isHandling || !notifier.owed.isEmpty else {
            return !queue.isEmpty && dead.isEmpty && !isHoldDue && !isTurnDue
        }
        guard notifier.published < notifier.owed.count else { return true }
        return switch book.owed[notifier.owed[notifier.published]] {
        case .issue, .outcome: true
        case .append: lane.allSatisfy { $0.wait == .none || $0.wait == .lock }
        case .mark, .record, .note: false
        }
    }

    /// Whether all that a worker can still do is to acknowledge, or to put the next baton into a lane.
    private func goesFirst(_ worker: Int) -> Bool {
        switch workers[worker].held?.phase {
        case .passing(let isTold): return isTold
        case .settling(let plan, let stage, let done):
            let stages = book.plans[plan]
            let left = stages[stage].indices.filter { done & 1 << $0 == 0 }
            guard left.count == 1, let only = left.first else { return false }
            return switch stages[stage][only] {
            case .acknowledge, .handOn: true
            case .tell, .removeStagedCopy: false
            }
        case .working, nil: return false
        }
    }

    /// Reading the log changes something only for a worker that works or may take a baton.
    private func readsLog(_ worker: Int) -> Bool {
        guard workers[worker].seen < log.count - 1 else { return false }
        guard let held = workers[worker].held else { return !lane.isEmpty }
        if case .working = held.phase { return true }
        return false
    }

    func add(_ step: BatonStep, to next: inout [Next], _ change: (inout BatonWorld) -> Void) {
        var world = self
        change(&world)
        world.forgetOldLog()
        next.append((step, world))
    }

    /// Drops the entries that both workers have read.
    private mutating func forgetOldLog() {
        let last = log.count - 1
        let oldest = min(workers[0].seen, workers[1].seen)
        guard oldest > 0, oldest <= last else { return }
        log.removeFirst(oldest)
        workers[0].seen -= oldest
        workers[1].seen -= oldest
    }

    mutating func breakSomething(_ budget: WritableKeyPath<Budget, Int8>) {
        self.budget[keyPath: budget] -= 1
        disturbances += 1
    }

    // MARK: The broker

    /// Whether the event that a parcel waits for has happened. Time is left out: everything that is shorter than a wait
    /// has happened before its end.
    private func isDue(_ parcel: Parcel) -> Bool {
        switch parcel.wait {
        case .none: return true
        case .lock: return !workers.contains { $0.held?.hasLock == true }
        case .firstPart: return copy != .growing(0)
        case .seal: return copy.word < 3
        case .dead: return false
        case .pause: return book.validity(of: parcel.baton, view: head) != .paused
        case .settling:
            if mutation == .cancelsAtOnce { return true }
            return workers.allSatisfy { worker in
                guard worker.seen == log.count - 1 else { return false }
                guard let held = worker.held, case .working = held.phase else { return true }
                return book.validity(of: held.baton, view: head) != .superseded
            }
        }
    }

    // MARK: The producer

    private func goOnCopying(into next: inout [Next]) {
        guard case .growing(let parts) = copy else { return }
        if parts < Self.partCount - 1 {
            add(.copy, to: &next) { $0.copy = .growing(parts + 1) }
        } else {
            add(.seal, to: &next) { $0.copy = .sealed }
        }
        if budget.producers > 0 {
            add(.killProducer, to: &next) { world in
                world.breakSomething(\.producers)
                world.copy = .abandoned
            }
        }
    }

    /// The broker drops what lies in a lane.
    private func lose(into next: inout [Next]) {
        var seen: [Parcel] = []
        for (index, parcel) in lane.enumerated() where parcel.wait == .none && !seen.contains(parcel) {
            seen.append(parcel)
            add(.lose(parcel.baton), to: &next) { world in
                world.breakSomething(\.losses)
                world.lane.remove(at: index)
                let letter = NotifierMessage.deadBaton(book.batons[parcel.baton], .expired(queue: "lane"))
                world.dead.append(book.news.number(of: .message(letter)))
            }
        }
    }

    private func take(by worker: Int, into next: inout [Next]) {
        // Both are idle and have read equally far, so that it makes no difference which one takes.
        if worker == 1, workers[0].held == nil, workers[0].seen == workers[1].seen { return }
        var seen: [Parcel] = []
        for (index, parcel) in lane.enumerated() where !seen.contains(parcel) && isDue(parcel) {
            seen.append(parcel)
            add(.take(worker: worker, parcel.baton), to: &next) { world in
                world.lane.remove(at: index)
                world.begin(parcel, by: worker)
            }
        }
    }

    private mutating func begin(_ parcel: Parcel, by worker: Int) {
        var verdict = book.verdict(on: parcel, view: view(of: worker))
        if mutation == .ignoresFences, verdict == .superseded {
            verdict = parcel.isRedelivered || parcel.isFlagged ? .suspect : .work
        }
        if mutation == .worksOnSuspects, verdict == .suspect { verdict = .work }
        switch verdict {
        case .superseded: break
        case .suspect: workers[worker].held = Held(baton: parcel.baton, phase: .passing(isTold: false))
        case .work:
            workers[worker].held = Held(
                baton: parcel.baton, phase: .working(machine: book.machine(of: parcel.baton), asked: []))
            tell(.begun, to: worker)
        }
    }

    /// The broker delivers it to another worker.
    mutating func deliverAgain(_ held: Held) {
        lane.append(Parcel(baton: held.baton, isRedelivered: true))
    }

    // MARK: The control log

    private mutating func readLog(_ worker: Int) {
        workers[worker].seen += 1
        guard let held = workers[worker].held, case .working = held.phase else { return }
        let validity = validity(of: worker)
        if validity != .holds { tell(.lost(validity), to: worker) }
    }

    func validity(of worker: Int) -> BatonValidity {
        guard let held = workers[worker].held else { return .holds }
        let validity = book.validity(of: held.baton, view: view(of: worker))
        return mutation == .ignoresFences && validity == .superseded ? .holds : validity
    }
}

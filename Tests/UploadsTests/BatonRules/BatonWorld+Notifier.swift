import Uploads

/// The notifier's driver: it decides and notes a message in one transaction, publishes what follows, strikes it off,
/// and only then acknowledges the message.
extension BatonWorld {
    func goOnNotifying(into next: inout [Next]) {
        if notifier.isHandling || !notifier.owed.isEmpty {
            if budget.crashes > 0, notifier.isHandling || notifier.published > 0 {
                add(.crashNotifier, to: &next) { world in
                    world.breakSomething(\.crashes)
                    world.fallNotifier()
                }
            }
            if budget.takeovers > 0, notifier.published < notifier.owed.count {
                add(.takeOver, to: &next) { world in
                    world.breakSomething(\.takeovers)
                    world.overtaken += Array(world.notifier.owed[world.notifier.published...])
                    world.fallNotifier()
                }
            }
            goOnPublishing(into: &next)
        } else {
            if let message = queue.first { decide(message, into: &next) }
            if let message = dead.first { decide(message, isDead: true, into: &next) }
            if isHoldDue { issueHeld(into: &next) }
            if isTurnDue { release(into: &next) }
        }
    }

    /// Whether the time of the held job may come at any moment.
    var isHoldDue: Bool {
        mutation != .forgetsWhatItHolds && book.facts(ofJobIn: notifier.ledger)?.isHeld == true
    }

    /// Whether the job waits in a serial line: the job before it may end at any moment.
    var isTurnDue: Bool { hasTurn && book.facts(ofJobIn: notifier.ledger)?.waitsInLine == true }

    private func issueHeld(into next: inout [Next]) {
        begin(.issueHeld, book.issueHeld(in: notifier.ledger, view: head, marker: notifier.markers), &next)
    }

    private func release(into next: inout [Next]) {
        begin(.release, book.release(in: notifier.ledger, view: head, marker: notifier.markers), &next)
    }

    private func begin(_ step: BatonStep, _ decision: RuleBook.Decision, _ next: inout [Next]) {
        add(step, to: &next) { world in
            world.notifier.ledger = decision.ledger
            world.notifier.owed = world.inOrder(decision.publications)
            world.notifier.published = 0
            if decision.usesMarker { world.notifier.markers += 1 }
        }
    }

    /// A notifier that has lost its shard knows nothing of it: what it does at the broker takes effect, and what it writes to the ledger does
    /// not, so it strikes nothing off and decides nothing.
    func goOnOvertaken(into next: inout [Next]) {
        guard let action = overtaken.first else { return }
        add(.settleOvertaken(action), to: &next) { world in
            world.overtaken.removeFirst()
            world.publish(action, .confirmed)
        }
        add(.endOvertaken, to: &next) { $0.overtaken = [] }
    }

    /// The notifier that takes over repeats what the ledger notes as owed, and gets the unacknowledged messages again.
    private mutating func fallNotifier() {
        if mutation == .forgetsWhatIsOwed { notifier.owed = [] }
        notifier.owed = notifier.owed.filter { book.isNeeded($0, in: notifier.ledger) }
            .map { mutation == .flagsNothing ? $0 : book.owed.number(of: book.owed[$0].repeated) }
        notifier.published = 0
        notifier.isHandling = false
        notifier.isHandlingDead = false
    }

    private func decide(_ message: Int32, isDead: Bool = false, into next: inout [Next]) {
        let isOrder = if case .verb = book.news[message] { true } else { false }
        // An order that was carried out is known by its id.
        if isOrder, notifier.isOrderDone {
            return add(.decide(message, isAcknowledged: true), to: &next) { $0.acknowledgeHead() }
        }
        let decision = book.decide(message, ledger: notifier.ledger, view: head, marker: notifier.markers)
        if decision.publications.isEmpty {
            add(.decide(message, isAcknowledged: true), to: &next) { world in
                world.notifier.ledger = decision.ledger
                world.notifier.isHandlingDead = isDead
                world.acknowledgeHead()
            }
            guard budget.crashes > 0, decision.ledger != notifier.ledger else { return }
            add(.decide(message, isAcknowledged: false), to: &next) { world in
                world.breakSomething(\.crashes)
                world.notifier.ledger = decision.ledger
                if !isDead { world.notifier.isOrderDone = isOrder }
            }
        } else {
            add(.decide(message, isAcknowledged: true), to: &next) { world in
                world.notifier.ledger = decision.ledger
                world.notifier.owed = world.inOrder(decision.publications)
                world.notifier.published = 0
                world.notifier.isHandling = true
                world.notifier.isHandlingDead = isDead
                if !isDead { world.notifier.isOrderDone = isOrder }
                if decision.usesMarker { world.notifier.markers += 1 }
            }
        }
    }

    /// The order of publications in which ``Mutation/fencesCancelsLast`` publishes them.
    private func inOrder(_ publications: [Int32]) -> [Int32] {
        guard mutation == .fencesCancelsLast else { return publications }
        let isCancel = publications.contains {
            if case .issue(let baton, _, _) = book.owed[$0] { baton.isCancel } else { false }
        }
        return isCancel ? publications.reversed() : publications
    }

    private mutating func acknowledgeHead() {
        if notifier.isHandlingDead {
            dead.removeFirst()
        } else {
            queue.removeFirst()
            notifier.isOrderDone = false
        }
        notifier.isHandling = false
        notifier.isHandlingDead = false
    }

    private func goOnPublishing(into next: inout [Next]) {
        guard notifier.published < notifier.owed.count else {
            return add(.strikeOff, to: &next) { world in
                world.notifier.owed = []
                world.notifier.published = 0
                if world.notifier.isHandling { world.acknowledgeHead() }
            }
        }
        let action = notifier.owed[notifier.published]
        var confirms = [BatonStep.Confirm.confirmed]
        if budget.confirms > 0, case .issue = book.owed[action] { confirms += [.repeated, .flagged] }
        for confirm in confirms {
            add(.settle(action, confirm), to: &next) { world in
                world.notifier.published += 1
                world.publish(action, confirm)
            }
        }
    }

    private mutating func publish(_ number: Int32, _ confirm: BatonStep.Confirm) {
        switch book.owed[number] {
        case .mark(let marker): queue.append(book.news.number(of: .message(.marker(marker))))
        case .issue(let baton, _, let isFlagged):
            var parcel = Parcel(baton: book.batons.number(of: baton), isFlagged: isFlagged)
            if confirm != .flagged { lane.append(parcel) }
            guard confirm != .confirmed else { return }
            breakSomething(\.confirms)
            parcel.isFlagged = mutation != .flagsNothing
            lane.append(parcel)
        case .append: log.append(book.apply(number, to: head))
        case .outcome(let event):
            let round = event.data.baton.round
            while told.count < round { told.append(0) }
            told[round - 1] |= event.kind.bit
        case .record, .note: break
        }
    }
}

extension EventKind {
    var bit: Int32 {
        switch self {
        case .completed: 1
        case .failed: 2
        case .cancelled: 4
        default: 8
        }
    }
}

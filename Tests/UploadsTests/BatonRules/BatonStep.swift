import Uploads

/// A step in a ``BatonWorld``: one line of a history.
enum BatonStep: Hashable {
    enum Answer: String { case arrives, lost, failed, refused }

    case take(worker: Int, Int32)
    case read(worker: Int)
    case perform(worker: Int, Int32, Answer)
    case publish(worker: Int, String, Confirm)
    case acknowledge(worker: Int)
    case kill(worker: Int)
    case cutOff(worker: Int)
    case learn(worker: Int)
    case drain(worker: Int)
    case decide(Int32, isAcknowledged: Bool)
    case settle(Int32, Confirm)
    case strikeOff
    case lose(Int32)
    case issueHeld
    case release
    case crashNotifier
    case takeOver
    case settleOvertaken(Int32)
    case endOvertaken
    case order(Verb)
    case copy
    case seal
    case killProducer

    /// The fate of a publication.
    enum Confirm: String {
        case confirmed
        /// It arrived, and its publisher tries once more, flagged.
        case repeated
        /// It did not arrive, and the next try is flagged.
        case flagged
    }

    /// Whether the step is a fault or an operator's: without such steps the world must come to rest.
    var isFault: Bool {
        switch self {
        case .kill, .cutOff, .crashNotifier, .takeOver, .order, .drain, .lose, .killProducer: true
        case .perform(_, _, let answer): answer != .arrives
        case .publish(_, _, let confirm), .settle(_, let confirm): confirm != .confirmed
        case .decide(_, let isAcknowledged): !isAcknowledged
        case .take, .read, .acknowledge, .learn, .strikeOff, .issueHeld, .release, .settleOvertaken, .endOvertaken,
            .copy, .seal:
            false
        }
    }

    /// What a notifier publishes in this step.
    var published: Int32? {
        switch self {
        case .settle(let action, _), .settleOvertaken(let action): action
        default: nil
        }
    }

    func line(_ book: RuleBook) -> String {
        switch self {
        case .take(let worker, let baton):
            let baton = book.batons[baton]
            return "worker \(worker) takes \(baton.lineage)\(baton.word)"
        case .read(let worker): return "worker \(worker) reads the control log"
        case .perform(let worker, let action, let answer):
            return "worker \(worker): \(book.actions[action].word), answer \(answer.rawValue)"
        case .publish(let worker, let what, let confirm):
            return "worker \(worker) publishes \(what), \(confirm.rawValue)"
        case .acknowledge(let worker): return "worker \(worker) acknowledges"
        case .kill(let worker): return "worker \(worker) dies"
        case .cutOff(let worker): return "worker \(worker) loses the connection that delivered, and does not know"
        case .learn(let worker): return "worker \(worker) learns that its connection is lost"
        case .drain(let worker): return "worker \(worker) is asked to stop"
        case .decide(let news, let isAcknowledged):
            return
                "notifier records \(book.news[news].word)\(isAcknowledged ? "" : ", and dies before it acknowledges")"
        case .settle(let action, let confirm):
            return "notifier publishes \(book.owed[action].word), \(confirm.rawValue)"
        case .strikeOff: return "notifier strikes off what it has published, and acknowledges"
        case .release: return "notifier begins to issue the job, whose turn in the line has come"
        case .crashNotifier: return "notifier dies"
        case .takeOver: return "notifier stands still, and another one takes over"
        case .settleOvertaken(let action): return "the overtaken notifier publishes \(book.owed[action].word)"
        case .endOvertaken: return "the overtaken notifier learns that it has lost its shard"
        case .lose(let baton): return "the broker drops \(book.batons[baton].lineage) from its lane"
        case .issueHeld: return "notifier begins to issue the job that it holds"
        case .order(let verb): return "operator: \(verb.rawValue)"
        case .copy: return "the producer has copied another part"
        case .seal: return "the producer seals the copy"
        case .killProducer: return "the producer dies before the copy is complete"
        }
    }
}

extension SliceAction {
    fileprivate var word: String { String("\(self)".prefix { $0 != "(" }) }
}

extension RuleBook.News {
    fileprivate var word: String {
        switch self {
        case .verb(let verb): "the order '\(verb.rawValue)'"
        case .message(.event(let event, _)): "'\(event.kind.rawValue)' of \(event.data.baton.lineage)"
        case .message(.marker(let marker)): "the marker of generation \(marker.generation)"
        case .message(.job): "the job"
        case .message(.deadBaton(let baton, _)): "the dead letter of \(baton.lineage)"
        case .message: "a message"
        }
    }
}

extension IssuingAction {
    fileprivate var word: String {
        switch self {
        case .mark: "a marker"
        case .issue(let baton, _, let isFlagged):
            "the baton \(baton.lineage)\(baton.word)\(isFlagged ? ", flagged" : "")"
        case .append(.fence(let fences)): "the fence \(fences.values.first ?? 0)"
        case .append(.pause): "a pause"
        case .append(.lift): "a lift"
        case .append: "an entry"
        case .outcome(let event): "the outcome '\(event.kind.rawValue)' of round \(event.data.baton.round)"
        case .record, .note: "nothing"
        }
    }
}

extension Baton {
    fileprivate var lineage: String { "\(round).\(generation).\(slice)" }
    fileprivate var word: String { onlyRemovesCopy ? ", removes the copy" : isCancel ? ", cancel" : "" }
}

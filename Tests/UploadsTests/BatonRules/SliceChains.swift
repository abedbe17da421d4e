import Foundation

@testable import Uploads

/// A rule of the slice that the search leaves out. A search that finds no circle then could never find one.
enum SliceRule: String, CaseIterable {
    /// An upload that is back at its beginning is a failed attempt.
    case countsLostSessions
    /// A slice that used up its time leaves a mark of what was missing when it began.
    case keepsMarks
}

/// Every chain of slices that one job can go through at a ``LyingDestination`` without a failed attempt, and without a crash or an
/// order from outside.
struct SliceChains {
    /// A baton without its mere counters: the same link means the same choices again.
    private typealias Link = Baton

    /// A circle that takes the job back to where it was, by at least one hand-over; nil where there is none.
    private(set) var circle: [String]?
    private(set) var linkCount = 0
    private(set) var momentCount = 0

    private let destination: LyingDestination
    private let rules: SliceRules
    private let leftOut: SliceRule?
    private var next: [Link: [Link: Edge]] = [:]

    /// How a slice leads to the next one.
    private enum Edge: String { case handOver = "hands over", wait = "waits" }

    init(_ job: UploadJob, at destination: LyingDestination, without rule: SliceRule? = nil) {
        self.destination = destination
        leftOut = rule
        var rules = SliceRules(parts: 1)
        // A part's second try within the slice changes nothing of what follows.
        rules.partRetryMilliseconds = []
        rules.copyPollsMaximum = 1
        self.rules = rules
        let first = Baton(job: job)
        var open = [first]
        while let link = open.popLast() {
            guard next[link] == nil else { continue }
            let following = successors(of: link)
            next[link] = following
            open += following.keys
        }
        linkCount = next.count
        circle = findCircle()
    }

    /// The batons that one slice can leave behind.
    private mutating func successors(of link: Link) -> [Link: Edge] {
        var following: [Link: Edge] = [:]
        for settlement in settlements(of: link).map({ leftOut == .countsLostSessions ? forgiven($0, of: link) : $0 }) {
            let report = SliceReport(startedAt: RuleBook.now)
            let plan = SettlementPlan(SettledSlice(settlement, report: report), of: link, now: RuleBook.now)
            guard let onward = plan.onward, onward.baton.attempts == link.attempts else { continue }
            let edge: Edge = onward.delay == nil ? .handOver : .wait
            var baton = Self.reduced(onward.baton)
            if leftOut == .keepsMarks { baton.state?.bytesMissing = nil }
            if following[baton] != .handOver { following[baton] = edge }
        }
        return following
    }

    /// As if the loss of a session were no failed attempt: the next slice opens another one at once.
    private func forgiven(_ settlement: Settlement, of link: Link) -> Settlement {
        guard case .wait(_, .retry(let error), let state) = settlement, error.code == .sessionExpired,
            link.state?.session != nil, state?.session == nil
        else { return settlement }
        return .handOver(nil)
    }

    private static func reduced(_ baton: Baton) -> Link {
        var link = baton
        link.slice = min(baton.slice, 1)
        link.idleWaits = 0
        link.activeSeconds = 0
        link.startedAt = nil
        return link
    }

    /// Every way in which one slice of a baton can settle.
    private mutating func settlements(of link: Link) -> Set<Settlement> {
        struct Moment: Hashable {
            var machine: SliceMachine
            var asked: [SliceAction]
            var isTimeUp: Bool
        }
        var settlements: Set<Settlement> = []
        var known: Set<Moment> = []
        var open: [Moment] = []
        func tell(_ fact: SliceFact, to moment: Moment) {
            var moment = moment
            for action in moment.machine.handle(fact, at: RuleBook.now) {
                if case .settle(let settlement) = action {
                    settlements.insert(settlement)
                } else {
                    moment.asked.append(action)
                }
            }
            if !moment.machine.isSettled, known.insert(moment).inserted { open.append(moment) }
        }
        tell(.begun, to: Moment(machine: SliceMachine(baton: link, rules: rules, seed: 1), asked: [], isTimeUp: false))
        while let moment = open.popLast() {
            for (index, action) in moment.asked.enumerated() {
                var answered = moment
                answered.asked.remove(at: index)
                for fact in destination.answers(to: action) { tell(fact, to: answered) }
            }
            if !moment.isTimeUp {
                var late = moment
                late.isTimeUp = true
                tell(.sliceTimeReached, to: late)
            }
        }
        momentCount += known.count
        return settlements
    }

    // MARK: Circles

    /// A hand-over from which its own beginning can be reached again. Circles of waits alone do not count: each waits
    /// longer than the one before, until the job's age runs out.
    private func findCircle() -> [String]? {
        for (link, following) in next {
            for (target, edge) in following where edge == .handOver {
                if let way = way(from: target, to: link) {
                    return [Self.line(link, edge)] + way
                }
            }
        }
        return nil
    }

    private func way(from start: Link, to end: Link) -> [String]? {
        var parents: [Link: Link] = [start: start]
        var open = [start]
        while !open.isEmpty {
            let link = open.removeFirst()
            if link == end { break }
            for target in (next[link] ?? [:]).keys where parents[target] == nil {
                parents[target] = link
                open.append(target)
            }
        }
        guard parents[end] != nil else { return nil }
        var lines: [String] = []
        var link = end
        while link != start, let parent = parents[link] {
            if let edge = next[parent]?[link] { lines.insert(Self.line(parent, edge), at: 0) }
            link = parent
        }
        return lines
    }

    private static func line(_ link: Link, _ edge: Edge) -> String {
        let state = link.state.map { "\($0.payload), \($0.bytesMissing.map { "\($0) bytes missing" } ?? "no mark")" }
        return
            "with session \(state ?? "none"), read back to \(link.state?.readBack.map { "\($0.bytes)" } ?? "none"): \(edge.rawValue)"
    }
}

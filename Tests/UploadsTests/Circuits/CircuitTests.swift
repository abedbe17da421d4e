import Foundation
import Testing

@testable import Uploads

@Suite struct CircuitTests {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let jobs = [JobID(), JobID()]
    let lost = UploadError(.networkFailure, "lost: try again")
    let lostError = UploadError(.destinationAway, "away: mount it")

    /// A circuit that two jobs have opened at the start.
    func opened(seed: UInt64 = 1, by error: UploadError? = nil) throws -> Circuit {
        var circuit = Circuit(seed: seed)
        let pass = try circuit.admitted(at: start)
        for number in 0..<5 {
            circuit.note(.failing(.write, error ?? lost), by: jobs[number % 2], with: pass, at: start)
        }
        return circuit
    }

    @Test func `failures in a row of several jobs open it, and one success begins the count anew`() throws {
        var circuit = Circuit(seed: 1)
        let pass = try circuit.admitted(at: start)
        for round in 0..<3 {
            for number in 0..<4 { circuit.note(.failing(.write, lost), by: jobs[number % 2], with: pass, at: start) }
            #expect(circuit.state == .closed)
            if round < 2 { circuit.note(.works(.write), by: jobs[0], with: pass, at: start) }
        }
        circuit.note(.failing(.write, lost), by: jobs[0], with: pass, at: start)
        #expect(circuit.state == .open)
        #expect(circuit.pass(at: start) == nil)
    }

    @Test func `a failure that one job alone meets keeps no job away`() throws {
        var circuit = Circuit(seed: 1)
        let pass = try circuit.admitted(at: start)
        for _ in 0..<1000 { circuit.note(.failing(.write, lost), by: jobs[0], with: pass, at: start) }
        #expect(circuit.state == .closed)
        circuit.note(.failing(.write, lost), by: jobs[1], with: pass, at: start)
        #expect(circuit.state == .open)
    }

    @Test func `one trial is let through, and its success lets all jobs in`() throws {
        var circuit = try opened()
        let until = try #require(circuit.openUntil)
        #expect(circuit.pass(at: until - 0.001) == nil)
        let trial = try circuit.admitted(at: until)
        #expect(trial.isTrial)
        #expect(circuit.state == .halfOpen)
        #expect(circuit.pass(at: until) == nil)
        circuit.note(.works(.write), by: jobs[0], with: trial, at: until)
        #expect(circuit.state == .closed)
        #expect(circuit.pass(at: until)?.isTrial == false)
        // It takes as many failures as before to open again.
        circuit.note(.failing(.write, lost), by: jobs[0], with: trial, at: until)
        #expect(circuit.state == .closed)
    }

    /// A bucket that is full holds up what is written to it, and nothing that is read from it.
    @Test func `a circuit that is open for writing lets readers through, one that is open for all does not`() throws {
        var full = try opened(by: lostError)
        #expect(full.pass(at: start) == nil)
        guard case .granted(let reader) = full.admit(at: start, for: CircuitEvidence.read) else {
            Issue.record("a reader was refused")
            return
        }
        #expect(!reader.isTrial)
        full.note(.works(CircuitEvidence.read), by: jobs[0], with: reader, at: start)
        #expect(full.state == .open, "reading proves no writing")
        full.note(.failing(.reach, lost), by: jobs[0], with: reader, at: start)
        full.leave(reader, at: start)
        #expect(full.state == .open)

        var away = Circuit(seed: 1)
        let pass = try away.admitted(at: start)
        away.note(.broken(.reach, lostError), by: jobs[0], with: pass, at: start)
        guard case .refused = away.admit(at: start, for: CircuitEvidence.read) else {
            Issue.record("a reader was let through")
            return
        }
        let until = try #require(away.openUntil)
        guard case .granted(let trial) = away.admit(at: until, for: CircuitEvidence.read) else {
            Issue.record("a reader was no trial")
            return
        }
        #expect(trial.isTrial)
        away.note(.works(CircuitEvidence.read), by: jobs[0], with: trial, at: until)
        #expect(away.state == .closed)
    }

    @Test func `each failed trial keeps it open, for longer, never longer than two minutes`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var circuit = try opened(seed: seed)
            var opened = start
            for opening in 1...12 {
                let until = try #require(circuit.openUntil)
                #expect(until.timeIntervalSince(opened) >= 1)
                #expect(until.timeIntervalSince(opened) <= min(120, pow(2, Double(opening))))
                let trial = try circuit.admitted(at: until)
                circuit.note(.failing(.write, lost), by: jobs[0], with: trial, at: until)
                opened = until
            }
        }
    }

    @Test func `how long it stays open is spread over the whole of its range`() throws {
        let seconds = try (0..<2000 as Range<UInt64>).map { seed in
            let until = try opened(seed: seed).openUntil
            return try #require(until).timeIntervalSince(start)
        }
        for quarter in 0..<4 {
            let range = 1 + Double(quarter) / 4..<1 + Double(quarter + 1) / 4
            #expect(seconds.count { range.contains($0) } > 350)
        }
    }

    @Test(arguments: [(30.0, 30.0), (7200, 3600)])
    func `it stays open for as long as the destination wished, up to an hour`(
        wished: TimeInterval, seconds: TimeInterval
    ) throws {
        let slow = UploadError(.rateLimited, "slow down: wait", retry: .after(seconds: wished))
        let circuit = try opened(by: slow)
        #expect(circuit.openUntil == start + seconds)
    }

    @Test func `a trial that finds out nothing makes way for another at once`() throws {
        var circuit = try opened()
        let until = try #require(circuit.openUntil)
        let trial = try circuit.admitted(at: until)
        circuit.leave(trial, at: until)
        #expect(circuit.pass(at: until)?.isTrial == true)
    }

    @Test func `a trial that never answers does not hold the others up for ever`() throws {
        var circuit = try opened()
        let until = try #require(circuit.openUntil)
        _ = try circuit.admitted(at: until)
        #expect(circuit.pass(at: until + 119) == nil)
        #expect(circuit.pass(at: until + 120)?.isTrial == true)
    }

    @Test func `what was begun before it opened neither closes it nor keeps it open`() throws {
        var circuit = Circuit(seed: 1)
        let old = try circuit.admitted(at: start)
        for number in 0..<5 { circuit.note(.failing(.write, lost), by: jobs[number % 2], with: old, at: start) }
        let until = try #require(circuit.openUntil)
        circuit.note(.works(.write), by: jobs[0], with: old, at: start)
        #expect(circuit.state == .open)
        let trial = try circuit.admitted(at: until)
        circuit.note(.failing(.write, lost), by: jobs[0], with: old, at: until)
        circuit.leave(old, at: until)
        #expect(circuit.state == .halfOpen)
        circuit.note(.works(.write), by: jobs[1], with: trial, at: until)
        #expect(circuit.state == .closed)
    }

    /// Whatever comes, in whatever order: at most one trial runs within its time, refusals end in the future, and the
    /// circuit can always close.
    @Test func `however the facts come, it lets one trial through at a time and never locks up`() throws {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var circuit = Circuit(seed: seed)
            var passes: [Circuit.Pass] = []
            var now = start
            var lastTrial: Date?
            for _ in 0..<200 {
                now += Double.random(in: 0...3, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    switch circuit.admit(at: now) {
                    case .granted(let pass):
                        if pass.isTrial {
                            if let lastTrial { #expect(now >= lastTrial + 120) }
                            lastTrial = now
                        }
                        passes.append(pass)
                    case .refused(let until, let error):
                        #expect(until > now)
                        #expect(error.message.contains("look at it"))
                    }
                case 1, 2:
                    guard let pass = passes.randomElement(using: &random) else { continue }
                    let isAlive = Int.random(in: 0..<10, using: &random) == 0
                    let before = circuit.state
                    circuit.note(isAlive ? .works(.write) : .failing(.write, lost), by: JobID(), with: pass, at: now)
                    if circuit.state != before { lastTrial = nil }
                default:
                    guard let index = passes.indices.randomElement(using: &random) else { continue }
                    let before = circuit.state
                    circuit.leave(passes.remove(at: index), at: now)
                    if circuit.state != before { lastTrial = nil }
                }
            }
            now += 3600
            if let pass = circuit.pass(at: now) { circuit.note(.works(.write), by: jobs[0], with: pass, at: now) }
            #expect(circuit.state == .closed)
            #expect(circuit.isPristine)
        }
    }

    @Test func `what every job would meet keeps them away at once`() throws {
        let full = UploadError(.noSpace, "it is full: free some")
        var circuit = Circuit(seed: 1)
        let pass = try circuit.admitted(at: start)
        circuit.note(.broken(.write, full), by: jobs[0], with: pass, at: start)
        #expect(circuit.state == .open)
        guard case .refused(_, let error) = circuit.admit(at: start) else {
            Issue.record("a job was let through")
            return
        }
        #expect(error.code == .noSpace)
        #expect(error.message.contains("no space left (it is full: free some)"), "it says what to mend")
    }

    @Test func `only a proof of the lost ability, or of one that includes it, lets all jobs in again`() throws {
        for lost in DestinationAbility.allCases {
            for proven in DestinationAbility.allCases {
                var circuit = Circuit(seed: 1)
                circuit.note(.broken(lost, lostError), by: jobs[0], with: try circuit.admitted(at: start), at: start)
                let until = try #require(circuit.openUntil)
                let trial = try circuit.admitted(at: until)
                #expect(trial.ability == lost)
                circuit.note(.works(proven), by: jobs[0], with: trial, at: until)
                #expect((circuit.state == .closed) == (proven >= lost), "lost \(lost), proven \(proven)")
            }
        }
    }

    @Test func `looks that are answered clear no failed writes`() throws {
        var circuit = Circuit(seed: 1)
        let pass = try circuit.admitted(at: start)
        for number in 0..<5 {
            #expect(circuit.state == .closed)
            circuit.note(.works(.signIn), by: jobs[number % 2], with: pass, at: start)
            circuit.note(.failing(.write, lost), by: jobs[number % 2], with: pass, at: start)
        }
        #expect(circuit.state == .open)
    }

    @Test func `a trial that finds out that less works than was thought has that to prove next`() throws {
        var circuit = Circuit(seed: 1)
        circuit.note(.broken(.reach, lostError), by: jobs[0], with: try circuit.admitted(at: start), at: start)
        var until = try #require(circuit.openUntil)
        circuit.note(.failing(.write, lost), by: jobs[0], with: try circuit.admitted(at: until), at: until)
        until = try #require(circuit.openUntil)
        #expect(try circuit.admitted(at: until).ability == .write)
    }

    @Test func `an order is let through an open circuit, one a second`() throws {
        let rest = UploadError(.rateLimited, "not now: wait", retry: .after(seconds: 3600))
        var circuit = Circuit(seed: 1)
        circuit.note(.broken(.write, rest), by: jobs[0], with: try circuit.admitted(at: start), at: start)
        #expect(circuit.pass(at: start + 1) == nil)
        var passes = 0
        for tick in 0..<100 {
            let now = start + 1 + Double(tick) / 10
            guard case .granted(let pass) = circuit.admit(at: now, isOrdered: true) else { continue }
            #expect(pass.isTrial)
            passes += 1
            circuit.note(.broken(.write, rest), by: jobs[0], with: pass, at: now)
        }
        #expect(passes == 10)
        #expect(circuit.pass(at: start + 60) == nil, "the others go on waiting")
    }

    @Test func `when it last wrote something is known`() throws {
        var circuit = Circuit(seed: 1)
        let pass = try circuit.admitted(at: start)
        circuit.note(.works(.signIn), by: jobs[0], with: pass, at: start)
        #expect(circuit.servedAt == nil)
        circuit.note(.works(.write), by: jobs[0], with: pass, at: start + 5)
        #expect(circuit.servedAt == start + 5)
    }

    @Test func `hosts of URLs fail each for itself, and secrets are no part of them`() {
        func origin(_ url: String) -> String? { DestinationOrigin(.url(url))?.text }
        #expect(origin("https://user:pass@A.example:444/x?secret=1") == "https://a.example:444")
        #expect(origin("https://a.example") != origin("https://b.example"))
        #expect(origin("file:///srv/x") == nil)
        #expect(origin("nonsense") == nil)
        let named = DestinationOrigin(.named(DestinationName(unchecked: "photos"), key: "a"))
        #expect(named == DestinationOrigin(.named(DestinationName(unchecked: "photos"), key: "b")))
        #expect(named?.isNamed == true)
    }
}

extension Circuit {
    fileprivate mutating func pass(at now: Date) -> Pass? {
        if case .granted(let pass) = admit(at: now) { pass } else { nil }
    }

    fileprivate mutating func admitted(at now: Date) throws -> Pass {
        let pass = pass(at: now)
        return try #require(pass)
    }
}

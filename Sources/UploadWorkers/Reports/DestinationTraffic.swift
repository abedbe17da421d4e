import Synchronization
import Uploads

/// Counts this worker's jobs and parts under way at one destination, and the bytes that it has sent there since it began.
final class DestinationTraffic: Sendable {
    let origin: DestinationOrigin
    /// The first reference that led to the destination: its configuration holds for all others.
    let reference: DestinationReference

    private let jobs = Atomic<Int>(0)
    private let parts = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let visits = Atomic<Int>(0)

    init(_ reference: DestinationReference, at origin: DestinationOrigin) {
        self.origin = origin
        self.reference = reference
    }

    /// Slices that work at the destination now.
    var jobsInFlight: Int { jobs.load(ordering: .relaxed) }
    var partsInFlight: Int { parts.load(ordering: .relaxed) }
    /// Includes bytes that were sent again.
    var bytesSent: Int { bytes.load(ordering: .relaxed) }
    /// Slices that have ever worked at the destination.
    var visitCount: Int { visits.load(ordering: .relaxed) }

    func jobBegins() {
        jobs.add(1, ordering: .relaxed)
        visits.wrappingAdd(1, ordering: .relaxed)
    }

    func jobEnds() { jobs.subtract(1, ordering: .relaxed) }
    func partBegins() { parts.add(1, ordering: .relaxed) }
    func partEnds() { parts.subtract(1, ordering: .relaxed) }
    func sent(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }
}

/// The traffic of all destinations, shared by a worker's slices.
final class DestinationTraffics: Sendable {
    /// Configured destinations, and hosts of URLs; an idle host makes way for a new one.
    static let countMaximum = 1000

    private let traffics = Mutex<[DestinationOrigin: DestinationTraffic]>([:])
    private let bytes = Atomic<Int>(0)

    /// The bytes that the worker has sent to all destinations since it began, with those that were sent again.
    var bytesSent: Int { bytes.load(ordering: .relaxed) }

    /// - Parameter traffic: nil for a destination that is not counted by itself.
    func sent(_ count: Int, to traffic: DestinationTraffic?) {
        bytes.wrappingAdd(count, ordering: .relaxed)
        traffic?.sent(count)
    }

    /// Counts a slice at its destination; the slice calls `jobEnds()` at its end.
    /// - Returns: nil where different jobs have nothing in common (`file:`), and where there are too many destinations.
    func begin(_ reference: DestinationReference) -> DestinationTraffic? {
        guard let origin = DestinationOrigin(reference) else { return nil }
        return traffics.withLock { traffics in
            if let known = traffics[origin] {
                known.jobBegins()
                return known
            }
            if traffics.count >= Self.countMaximum {
                traffics = traffics.filter { $0.key.isNamed || $0.value.jobsInFlight > 0 }
            }
            guard traffics.count < Self.countMaximum else { return nil }
            let traffic = DestinationTraffic(reference, at: origin)
            traffic.jobBegins()
            traffics[origin] = traffic
            return traffic
        }
    }

    var all: [DestinationTraffic] { traffics.withLock { Array($0.values) } }
}

public import Foundation

/// One worker's report on a destination at one moment: its circuit, the work under way there, and what holds that up.
/// JSON `upload.destination.v1`. Transient: only displays depend on it.
public struct DestinationReport: Codable, Hashable, Sendable {
    /// The most UTF-8 bytes of the worker's name, of the origin and of the error: readers refuse longer ones.
    public static let textBytesMaximum = 300
    /// Seconds between two reports while there is something to report; only a change of the circuit is reported
    /// earlier.
    public static let interval: TimeInterval = 10

    public enum CircuitState: String, Codable, CaseIterable, Sendable {
        case closed, open
        /// The circuit lets one job through as a trial.
        case halfOpen
    }

    /// The current speed of the transfers to the destination.
    public struct Pace: Codable, Hashable, Sendable {
        /// Bytes of parts that left in a second, over all jobs, averaged over the last seconds.
        public var bytesPerSecond: Double
        /// Whether a transfer waits because of the destination's limit of bytes or requests in a second.
        public var isHeld: Bool

        public init(bytesPerSecond: Double, isHeld: Bool) {
            self.bytesPerSecond = bytesPerSecond > 0 ? min(bytesPerSecond, Double(WireLimits.bytesSentMaximum)) : 0
            self.isHeld = isHeld
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                bytesPerSecond: try container.decode(
                    0...Double(WireLimits.bytesSentMaximum), forKey: .bytesPerSecond),
                isHeld: try container.decode(Bool.self, forKey: .isHeld))
        }
    }

    /// The worker's name, unique while the worker runs.
    public var worker: String
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String
    /// Scheme, host and port of a URL; nil for a configured name.
    public var origin: String?
    public var circuit: CircuitState
    /// When an open circuit lets a job try at the earliest.
    public var until: Date?
    /// Why the circuit is not closed, and what to mend, cut to ``textBytesMaximum``.
    public var error: String?
    public var jobsInFlight: Int
    /// How many jobs the worker has found the destination to take at once; nil from workers that do not tell.
    public var jobsAtOnce: Int?
    public var partsInFlight: Int?
    /// The limits in this worker's configuration.
    public var limits: TransferLimits
    public var pace: Pace
    /// When the report was made, by the worker's clock.
    public var at: Date

    public init(
        worker: String, destination: String, origin: String? = nil, circuit: CircuitState = .closed, until: Date? = nil,
        error: String? = nil, jobsInFlight: Int = 0, jobsAtOnce: Int? = nil,
        partsInFlight: Int? = nil,
        limits: TransferLimits = TransferLimits(),
        pace: Pace = Pace(bytesPerSecond: 0, isHeld: false), at: Date
    ) {
        self.worker = worker
        self.destination = destination
        self.origin = origin
        self.circuit = circuit
        self.until = until
        self.error = error?.utf8Prefix(Self.textBytesMaximum)
        self.jobsInFlight = jobsInFlight
        self.jobsAtOnce = jobsAtOnce
        self.partsInFlight = partsInFlight
        self.limits = limits
        self.pace = pace
        self.at = at
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        worker = try container.decodeText(atMost: Self.textBytesMaximum, forKey: .worker)
        destination = try container.decodeText(atMost: Self.textBytesMaximum, forKey: .destination)
        origin = try container.decodeTextIfPresent(atMost: Self.textBytesMaximum, forKey: .origin)
        circuit = try container.decode(CircuitState.self, forKey: .circuit)
        until = try container.decodeIfPresent(Date.self, forKey: .until)
        error = try container.decodeTextIfPresent(atMost: Self.textBytesMaximum, forKey: .error)
        jobsInFlight = try container.decode(0...WireLimits.countMaximum, forKey: .jobsInFlight)
        jobsAtOnce = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .jobsAtOnce)
        partsInFlight = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .partsInFlight)
        limits = try container.decode(TransferLimits.self, forKey: .limits)
        pace = try container.decode(Pace.self, forKey: .pace)
        at = try container.decode(Date.self, forKey: .at)
    }

    /// The worker and the destination: reports with the same subject replace each other.
    public var subject: String { "\(worker) \(origin ?? destination)" }

    /// `destination._.<destination>`: a worker's circuit is the same for all transfer queues that it serves.
    public var routingKey: String { "destination._.\(destination)" }
}

extension DestinationReport.CircuitState {
    public init(_ state: Circuit.State) {
        switch state {
        case .closed: self = .closed
        case .halfOpen: self = .halfOpen
        case .open: self = .open
        }
    }
}

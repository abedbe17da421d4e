public import Foundation

/// Finds the destination that a job names.
public protocol DestinationProvider: Sendable {
    /// - Returns: nil when the configuration names no such destination (yet).
    /// - Throws: `misconfigured` when it does, but the reference makes no sense for it (a key that leaves the
    ///   directory, a URL of a scheme that no driver serves).
    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)?

    /// Finds the destination that a job names as the origin of its source object.
    /// - Returns: nil when the configuration names no such destination (yet).
    /// - Throws: `accessDenied` where the configuration does not let jobs read; `misconfigured` as above, and for a driver that only
    ///   writes.
    func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)?

    /// The retry policy of its jobs that carry none; nil: the default.
    func retry(for reference: DestinationReference) -> RetryPolicy?

    /// Seconds that jobs wait for it before they are given up.
    func patience(for reference: DestinationReference) -> TimeInterval
}

extension DestinationProvider {
    /// The destination, if its driver can read. Whether jobs may read it is not checked.
    /// - Throws: `misconfigured` as `destination` does, and for a driver that only writes.
    public func readable(_ reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        guard let destination = try destination(for: reference) else { return nil }
        guard let origin = destination as? any OriginDestination else {
            throw UploadError(
                .misconfigured,
                "\(reference.displayText) cannot be read: its driver '\(destination.driver)' only writes", retry: .never
            )
        }
        return origin
    }

    /// The default, for providers that let no job read.
    public func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        throw UploadError(
            .accessDenied, "\(reference.displayText) may not be read by jobs: nothing here allows it", retry: .never)
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? { nil }

    public func patience(for reference: DestinationReference) -> TimeInterval { JobLifetime.patience }
}

/// What one worker may do at one destination at once.
public struct TransferLimits: Codable, Hashable, Sendable {
    /// Jobs; nil is no limit.
    public var jobs: Int?
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?
    /// Bytes read for it in a second, over all jobs and parts; nil is no limit.
    public var bytesPerSecond: Int64?
    /// Steps at it in a second (a probe, an open, a part, a completing call, a removal), over all jobs; nil is no limit.
    public var requestsPerSecond: Int?

    public init(
        jobs: Int? = nil, parts: Int? = nil, bytesPerSecond: Int64? = nil, requestsPerSecond: Int? = nil
    ) {
        self.jobs = jobs.map { min(max(0, $0), WireLimits.countMaximum) }
        self.parts = parts.map { min(max(0, $0), WireLimits.countMaximum) }
        self.bytesPerSecond = bytesPerSecond.map { min(max(1, $0), WireLimits.bytesSentMaximum) }
        self.requestsPerSecond = requestsPerSecond.map { min(max(1, $0), WireLimits.countMaximum) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            jobs: try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .jobs),
            parts: try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .parts),
            bytesPerSecond: try container.decodeIfPresent(1...WireLimits.bytesSentMaximum, forKey: .bytesPerSecond),
            requestsPerSecond: try container.decodeIfPresent(1...WireLimits.countMaximum, forKey: .requestsPerSecond))
    }
}

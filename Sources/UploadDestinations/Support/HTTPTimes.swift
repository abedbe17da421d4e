public import Foundation

/// How long a server may be silent, and how slow.
public struct HTTPTimes: Hashable, Sendable {
    /// Of a body that has been handed to the system, bytes that may still be on their way: what Linux keeps for a connection in the buffers
    /// of both ends by its usual limits (tcp(7): `tcp_wmem`, `tcp_rmem`).
    static let bufferedBytesMaximum: Int64 = 10 << 20
    /// So many of them are worth another `firstByteSeconds`: at the usual 60 s that is 34 KiB a second.
    static let patientBytes: Int64 = 2 << 20
    /// Seconds over which a server that sends has to come up to the minimum.
    static let windowSeconds: TimeInterval = 60

    /// Seconds from the end of the body to the first byte of the answer, for a server that has the body: 60 by default.
    public var firstByteSeconds: TimeInterval
    /// Seconds without a byte sent or received: 60 by default.
    public var stallSeconds: TimeInterval
    /// Bytes a second that a server which answers has to send on average over a minute: 512 by default; 0: any speed will do.
    public var bytesPerSecondMinimum: Int

    public init(
        firstByteSeconds: TimeInterval = 60, stallSeconds: TimeInterval = 60, bytesPerSecondMinimum: Int = 512
    ) {
        self.firstByteSeconds = firstByteSeconds
        self.stallSeconds = stallSeconds
        self.bytesPerSecondMinimum = bytesPerSecondMinimum
    }

    /// Seconds from the end of a body of this many bytes to the first byte of the answer. A server that takes it slowly and steadily has not
    /// even read what the system has taken.
    func answerSeconds(bodyBytes: Int64) -> TimeInterval {
        firstByteSeconds * (1 + Double(min(max(0, bodyBytes), Self.bufferedBytesMaximum)) / Double(Self.patientBytes))
    }
}

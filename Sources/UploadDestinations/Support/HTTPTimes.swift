public import Foundation

/// How long a server may be silent, and how slow it may be.
public struct HTTPTimes: Hashable, Sendable {
    /// The most bytes of a body that may still be on their way after the system has taken them: the default buffers of
    /// Linux at both ends of a connection (tcp(7): `tcp_wmem`, `tcp_rmem`).
    static let bufferedBytesMaximum: Int64 = 10 << 20
    /// Bytes for which a server gets another `firstByteSeconds`: at the default 60 s that is 34 KiB a second.
    static let patientBytes: Int64 = 2 << 20

    /// Seconds from the end of the body to the first byte of the answer, for a server that has the body: 60 by default.
    public var firstByteSeconds: TimeInterval
    /// Seconds without a byte sent or received: 60 by default.
    public var stallSeconds: TimeInterval
    /// Bytes a second that an answering server has to send on average over a minute: 512 by default; 0 allows any speed.
    public var bytesPerSecondMinimum: Int

    public init(
        firstByteSeconds: TimeInterval = 60, stallSeconds: TimeInterval = 60, bytesPerSecondMinimum: Int = 512
    ) {
        self.firstByteSeconds = firstByteSeconds
        self.stallSeconds = stallSeconds
        self.bytesPerSecondMinimum = bytesPerSecondMinimum
    }

    /// Seconds from the end of a body of this many bytes to the first byte of the answer. A server that reads slowly and steadily has not
    /// yet read the bytes that the system buffers.
    func answerSeconds(bodyBytes: Int64) -> TimeInterval {
        firstByteSeconds * (1 + Double(min(max(0, bodyBytes), Self.bufferedBytesMaximum)) / Double(Self.patientBytes))
    }
}

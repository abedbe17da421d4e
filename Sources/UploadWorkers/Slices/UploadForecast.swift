import Foundation

/// Forecasts whether a file that is uploaded in one piece will be complete in time: a pure value that takes the progress now and then.
struct UploadForecast: Sendable {
    /// Bytes of the file.
    let size: Int64
    /// When the file has to be complete, from the slice's start.
    let end: Duration
    /// The first progress that was noted, and when.
    private var first: (bytes: Int64, at: Duration)?
    private var last: Int64 = 0

    init(size: Int64, end: Duration) {
        self.size = size
        self.end = end
    }

    /// Gives no forecast before half of the time is over and a quarter of it was spent on sending: a slow beginning may be made up for.
    /// - Parameter done: bytes that are at the destination or under way; the number falls when bytes are sent again.
    /// - Returns: the bytes that were sent and the seconds that this took, if the file will be late at this rate; else nil.
    mutating func note(_ done: Int64, at time: Duration) -> (bytes: Int64, seconds: TimeInterval)? {
        defer { last = done }
        guard done > 0, let first, done >= last else {
            first = done > 0 ? (done, time) : nil
            return nil
        }
        let spent = time - first.at
        guard time >= end / 2, spent >= end / 4 else { return nil }
        let seconds = spent / .seconds(1)
        let rate = Double(done - first.bytes) / seconds
        let left = (end - time) / .seconds(1)
        guard Double(size - done) > rate * max(0, left) else { return nil }
        return (done, seconds)
    }
}

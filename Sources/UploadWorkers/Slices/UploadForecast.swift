import Foundation

/// Whether a file that goes up in one piece will be there in time: a pure value, told now and then how much is.
struct UploadForecast: Sendable {
    /// Bytes of the file.
    let size: Int64
    /// When it has to be there, from the slice's start.
    let end: Duration
    /// The first of its bytes that were seen, and when.
    private var first: (bytes: Int64, at: Duration)?
    private var last: Int64 = 0

    init(size: Int64, end: Duration) {
        self.size = size
        self.end = end
    }

    /// Says nothing before half of the time is over, and before a quarter of it was spent on sending: a slow beginning may be made up for.
    /// - Parameter done: bytes that are there or on their way; less than before where they are sent again.
    /// - Returns: how many bytes went up in how many seconds, where at this rate the file will be late.
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

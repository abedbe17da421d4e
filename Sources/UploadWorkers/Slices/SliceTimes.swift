import Foundation
import Uploads

/// The times of a slice at which something is due: a pure value that is asked whenever ``next`` has come.
struct SliceTimes: Sendable {
    enum Due: Hashable, Sendable {
        /// The slice has worked for long enough that its start is reported.
        case started
        case fact(SliceFact)
        case progress(bytesDone: Int64, bytesPerSecond: Double)
    }

    private var started: Duration?
    private var sliceEnd: Duration?
    private var uncutEnd: Duration?
    private var nextReport: Duration
    private let reportInterval: Duration
    private var forecast: UploadForecast?
    private var last: (at: Date, done: Int64?)

    /// - Parameters:
    ///   - startedAfter: nil for a slice whose start is not reported.
    ///   - size: bytes of the file.
    init(_ configuration: WorkerConfiguration, startedAfter: Duration?, size: Int64, now: Date) {
        started = startedAfter
        sliceEnd = configuration.slice
        uncutEnd = configuration.uncutMaximum
        reportInterval = configuration.progressInterval
        nextReport = configuration.progressInterval
        forecast = configuration.uncutMaximum.map { UploadForecast(size: size, end: $0) }
        last = (now, nil)
    }

    /// The time since the slice's start at which ``due(at:done:now:)`` is to be asked.
    var next: Duration { [started, sliceEnd, uncutEnd].reduce(nextReport) { min($0, $1 ?? $0) } }

    /// - Parameters:
    ///   - elapsed: the time since the slice's start.
    ///   - done: bytes that are at the destination or under way; nil before it is known what the destination holds.
    mutating func due(at elapsed: Duration, done: Int64?, now: Date) -> [Due] {
        var due: [Due] = []
        func take(_ time: inout Duration?, _ what: Due) {
            guard let at = time, at <= elapsed else { return }
            time = nil
            due.append(what)
        }
        take(&started, .started)
        if let slice = sliceEnd, let uncut = uncutEnd, uncut < slice { take(&uncutEnd, .fact(.uncutTimeReached)) }
        take(&sliceEnd, .fact(.sliceTimeReached))
        take(&uncutEnd, .fact(.uncutTimeReached))
        guard elapsed >= nextReport else { return due }
        nextReport = elapsed + reportInterval
        guard let done else { return due }
        if let late = forecast?.note(done, at: elapsed) {
            due.append(.fact(.uncutTimeTooShort(bytesDone: late.bytes, seconds: late.seconds)))
        }
        let seconds = now.timeIntervalSince(last.at)
        let rate = seconds > 0 ? max(0, Double(done - (last.done ?? done)) / seconds) : 0
        due.append(.progress(bytesDone: done, bytesPerSecond: rate))
        last = (now, done)
        return due
    }
}

import Foundation

/// The line that shows the progress of several uploads together: a pure rendering.
struct ProgressBar: Hashable {
    var bytesDone: Int64
    var bytesTotal: Int64
    var filesDone: Int
    var filesTotal: Int
    var failed = 0
    /// nil while it is unknown.
    var bytesPerSecond: Double?

    /// One line of at most `columns` characters. Where the room is short, the bar is left out first, then the time left, then the bytes.
    func line(columns: Int) -> String {
        let files = "\(filesDone)/\(filesTotal) \(filesTotal == 1 ? "file" : "files")"
        let end = failed > 0 ? "\(files), \(failed) failed" : files
        let gauge = Gauge(fraction: fraction, bytesLeft: bytesTotal - bytesDone, bytesPerSecond: bytesPerSecond)
        let bytes = "\(Quantity.text(bytes: bytesDone)) of \(Quantity.text(bytes: bytesTotal))"
        let rest = [bytes, gauge.rate, "ETA \(gauge.timeLeft)", end]
        let room = columns - ([gauge.percent] + rest).joined(separator: "  ").count - 4
        let full = [gauge.percent] + (room >= 6 ? [gauge.bar(room)] : []) + rest
        for parts in [
            full, [gauge.percent, bytes, gauge.rate, end], [gauge.percent, gauge.rate, end], [gauge.percent, end],
        ] {
            let text = parts.joined(separator: "  ")
            if text.count <= columns { return text }
        }
        return String(gauge.percent.prefix(columns))
    }

    private var fraction: Double {
        if bytesTotal > 0 { return Double(bytesDone) / Double(bytesTotal) }
        return filesTotal > 0 ? Double(filesDone) / Double(filesTotal) : 1
    }
}

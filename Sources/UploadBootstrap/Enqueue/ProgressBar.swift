import Foundation

/// The line that shows how far uploads are: a pure rendering.
struct ProgressBar: Hashable {
    var bytesDone: Int64
    var bytesTotal: Int64
    var filesDone: Int
    var filesTotal: Int
    var failed = 0
    /// nil while it is unknown.
    var bytesPerSecond: Double?

    /// One line of at most `columns` characters. What does not fit is left out: first the bar, then the time left, then the bytes.
    func line(columns: Int) -> String {
        let files = "\(filesDone)/\(filesTotal) \(filesTotal == 1 ? "file" : "files")"
        let end = failed > 0 ? "\(files), \(failed) failed" : files
        let percent = String(format: "%3d%%", Int(fraction * 100))
        let bytes = "\(Quantity.text(bytes: bytesDone)) of \(Quantity.text(bytes: bytesTotal))"
        let rate = bytesPerSecond.map { "\(Quantity.text(bytes: Int64($0)))/s" } ?? "-- B/s"
        let full = [percent, bytes, rate, "ETA \(timeLeft)", end]
        for parts in [full, [percent, bytes, rate, end], [percent, rate, end], [percent, end]] {
            let text = parts.joined(separator: "  ")
            if text.count <= columns {
                let room = columns - text.count - 4
                return parts == full && room >= 6
                    ? text.replacingFirst(percent, with: "\(percent)  [\(bar(room))]") : text
            }
        }
        return String(percent.prefix(columns))
    }

    var fraction: Double {
        let share =
            bytesTotal > 0
            ? Double(bytesDone) / Double(bytesTotal) : filesTotal > 0 ? Double(filesDone) / Double(filesTotal) : 1
        // 100% is said when it is done, not when it rounds to it.
        return min(1, share)
    }

    /// `0:03`, `1:02:03`, `--:--` while it is unknown.
    private var timeLeft: String {
        guard let rate = bytesPerSecond, rate > 0 else { return "--:--" }
        let seconds = (Double(bytesTotal - bytesDone) / rate).rounded(.up)
        guard seconds < 360_000 else { return "--:--" }
        let (hours, rest) = Int(seconds).quotientAndRemainder(dividingBy: 3600)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, rest / 60, rest % 60)
            : String(format: "%d:%02d", rest / 60, rest % 60)
    }

    private func bar(_ width: Int) -> String {
        let filled = Int(Double(width) * fraction)
        if filled >= width { return String(repeating: "=", count: width) }
        return String(repeating: "=", count: filled) + ">" + String(repeating: " ", count: width - filled - 1)
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        replacing(text, with: other, maxReplacements: 1)
    }
}

import Foundation

/// The line that shows the progress of one upload: a pure rendering. In lines of the same width, equal parts are in the
/// same columns.
struct UploadBar: Hashable {
    var name: String
    /// The queue and the destination; nil where all uploads have the same.
    var way: String?
    var bytesDone: Int64
    var bytesTotal: Int64
    /// nil while it is unknown.
    var bytesPerSecond: Double?

    /// One line that fills at most `columns` columns. Where the room is short, the bar is left out first, then the queue and
    /// destination, the time left and the rate; the name is shortened.
    func line(columns: Int) -> String {
        let gauge = Gauge(
            fraction: bytesTotal > 0 ? Double(bytesDone) / Double(bytesTotal) : 1, bytesLeft: bytesTotal - bytesDone,
            bytesPerSecond: bytesPerSecond)
        let all = [gauge.percent, Self.right(gauge.rate, 10), "ETA " + Self.right(gauge.timeLeft, 7)]
        for count in [3, 2, 1] {
            let figures = all.prefix(count).joined(separator: "  ")
            let room = columns - figures.count - 2
            guard room >= (count == 1 ? 4 : 12) else { continue }
            let bar = room >= 40 ? gauge.bar(room * 4 / 10 - 2) + "  " : ""
            return label(room - bar.count) + "  " + bar + figures
        }
        return String(gauge.percent.prefix(max(0, columns)))
    }

    /// The name, followed by the queue and destination if there is room for both.
    private func label(_ columns: Int) -> String {
        let name = PlainText.safe(name)
        if let way = way.map(PlainText.safe) {
            let room = columns - PlainText.width(way) - 2
            if room >= min(12, PlainText.width(name)) {
                return Self.left(PlainText.cut(name, to: room, keepsEnd: true), room) + "  " + way
            }
        }
        return Self.left(PlainText.cut(name, to: columns, keepsEnd: true), columns)
    }

    private static func left(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - PlainText.width(text)))
    }

    private static func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - text.count)) + text
    }
}

import Foundation
import Uploads

/// The progress of one or several uploads as the texts that a progress line is made of: percent, rate, time left and bar.
struct Gauge: Hashable {
    /// From 0 to 1.
    var fraction: Double
    /// The bytes that are not transferred yet.
    var bytesLeft: Int64
    /// nil while it is unknown.
    var bytesPerSecond: Double?

    init(fraction: Double, bytesLeft: Int64, bytesPerSecond: Double?) {
        self.fraction = min(max(0, fraction), 1)
        self.bytesLeft = max(0, bytesLeft)
        self.bytesPerSecond = bytesPerSecond
    }

    /// ` 42%`, rounded down, so that 100% appears only when all bytes are transferred.
    var percent: String { String(format: "%3d%%", Int(fraction * 100)) }

    /// `12.0 MiB/s`
    var rate: String { bytesPerSecond.map { "\(Quantity.text(bytes: Int64(saturating: $0)))/s" } ?? "-- B/s" }

    /// `0:03`, `1:02:03`, `--:--` while it is unknown.
    var timeLeft: String {
        guard let rate = bytesPerSecond, rate > 0 else { return "--:--" }
        let seconds = (Double(bytesLeft) / rate).rounded(.up)
        guard seconds < 360_000 else { return "--:--" }
        let (hours, rest) = Int(seconds).quotientAndRemainder(dividingBy: 3600)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, rest / 60, rest % 60)
            : String(format: "%d:%02d", rest / 60, rest % 60)
    }

    /// `[====>     ]`
    /// - Parameter width: the columns between the brackets, 1 or more.
    func bar(_ width: Int) -> String {
        let filled = Int(Double(width) * fraction)
        let inside =
            filled >= width
            ? String(repeating: "=", count: width)
            : String(repeating: "=", count: filled) + ">" + String(repeating: " ", count: width - filled - 1)
        return "[\(inside)]"
    }
}

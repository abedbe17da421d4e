import Foundation
import Uploads

/// Bars for the jobs that ended in each part of a time: SVG without any style of its own.
enum ThroughputChart {
    private static let height = 48.0

    /// Jobs of each part, those that failed on top.
    /// - Parameters:
    ///   - unit: the length of a part, in words.
    ///   - time: all of it, in words.
    static func jobs(_ minutes: [ThroughputMinute], each unit: String, over time: String) -> HTML {
        let top = Double(max(1, minutes.map { $0.completed.addingSaturating($0.failed) }.max() ?? 1))
        let completed = minutes.lazy.map(\.completed).sumSaturating()
        let failed = minutes.lazy.map(\.failed).sumSaturating()
        let bars = minutes.enumerated().map { index, minute -> HTML in
            let good = bar(index, from: 0, to: Double(minute.completed) / top, "good")
            let bad = bar(
                index, from: Double(minute.completed) / top,
                to: (Double(minute.completed) + Double(minute.failed)) / top,
                "bad")
            return "<g>\(good)\(bad)</g>"
        }
        return chart(
            bars,
            "Jobs in each \(unit) of \(time): \(completed) completed, \(failed) failed, at most \(Int(saturating: top))"
        )
    }

    /// Bytes of the jobs that completed in each part.
    static func bytes(_ minutes: [ThroughputMinute], each unit: String, over time: String) -> HTML {
        let top = Double(max(1, minutes.map(\.bytes).max() ?? 1))
        let bars = minutes.enumerated().map { index, minute -> HTML in
            "\(bar(index, from: 0, to: Double(minute.bytes) / top, "flow"))"
        }
        let sum = minutes.lazy.map(\.bytes).sumSaturating()
        return chart(bars, "Bytes in each \(unit) of \(time): \(DashboardText.bytes(sum)) in all")
    }

    private static func chart(_ bars: [HTML], _ label: String) -> HTML {
        """
        <svg class="chart" role="img" aria-label="\(label)" viewBox="0 0 \(bars.count) \(Int(height))" \
        preserveAspectRatio="none">\(bars)</svg>
        """
    }

    /// - Parameters:
    ///   - from: 0 at the bottom.
    ///   - to: 1 at the top; anything above 0 is drawn high enough to be seen.
    private static func bar(_ index: Int, from: Double, to: Double, _ name: String) -> HTML? {
        guard to > from else { return nil }
        let size = max(1.5, (to - from) * height)
        let upper = min(height - size, max(0, (1 - from) * height - size))
        return """
            <rect class="\(name)" x="\(index).14" width="0.72" y="\(tenths(upper))" height="\(tenths(size))"/>
            """
    }

    private static func tenths(_ value: Double) -> String {
        let whole = Int(saturating: (value * 10).rounded())
        return "\(whole / 10).\(whole % 10)"
    }
}

/// The lines at the foot of a terminal that show what `enqueue-upload --wait` waits for: a bar for each upload that runs, as many as there
/// is room for, and one for all uploads together. A pure rendering.
struct WaitBars: Hashable {
    /// The most bars of single uploads.
    static let countMaximum = 8

    /// Bars of uploads that run: at least the first ``countMaximum``.
    var uploads: [UploadBar]
    /// How many uploads run.
    var runningCount: Int
    var total: ProgressBar

    /// - Parameters:
    ///   - columns: the width that each line fills at most.
    ///   - rows: the height of the terminal; a third of it is left for the lines above.
    func lines(columns: Int, rows: Int) -> [String] {
        let room = min(Self.countMaximum, max(0, rows * 2 / 3 - 2))
        let shown = uploads.prefix(room)
        let hidden = runningCount - shown.count
        let more = hidden > 0 && !shown.isEmpty ? [PlainText.cut("and \(hidden) more", to: columns)] : []
        return shown.map { $0.line(columns: columns) } + more + [total.line(columns: columns)]
    }
}

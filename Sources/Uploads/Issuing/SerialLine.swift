/// The arithmetic of a serial line: which job comes next, and numbers that keep the order and leave room to insert jobs
/// without renumbering the rest. Pure; the ledger holds the numbers.
public enum SerialLine {
    /// The distance between the numbers of neighbours that were appended one after the other.
    public static let spacing: Int64 = 1 << 20

    /// The place in the present line that a ``SerialPosition`` means.
    public enum Target: Hashable, Sendable {
        case end
        /// So many waiting jobs stay ahead of it.
        case index(Int)
        case behind(JobID)
    }

    /// The place of a job in the present line.
    /// - Parameter other: the job that it wants to be behind, if the ledger knows it.
    public static func target(of position: SerialPosition, behind other: LedgerJob?) -> Target {
        if position.after != nil, let other {
            if other.line == .waiting { return .behind(other.id) }
            // Ended otherwise than cancelled, it was released before.
            let hasRun = other.baton.job.serial != nil && (other.end.map { $0.kind != .cancelled } ?? false)
            if other.line != nil || hasRun { return .index(0) }
        }
        return position.index.map { .index($0) } ?? .end
    }

    /// Whether the first waiting job may be released: strictly one after the other.
    public static func releasesNext(ofThoseOnTheirWay count: Int) -> Bool { count == 0 }

    /// A number between two neighbours; nil is beyond either end.
    /// - Returns: nil when there is none left between them: number the line anew by ``number(at:)``, and ask again.
    public static func number(after lower: Int64?, before upper: Int64?) -> Int64? {
        switch (lower, upper) {
        case (nil, nil): return 0
        case (let lower?, nil):
            let (number, overflows) = lower.addingReportingOverflow(spacing)
            return overflows ? nil : number
        case (nil, let upper?):
            let (number, overflows) = upper.subtractingReportingOverflow(spacing)
            return overflows ? nil : number
        case (let lower?, let upper?):
            let (room, overflows) = upper.subtractingReportingOverflow(lower)
            guard !overflows, room > 1 else { return nil }
            return lower + room / 2
        }
    }

    /// The number of the job at an index, when a line is numbered anew.
    public static func number(at index: Int) -> Int64 { Int64(index) * spacing }
}

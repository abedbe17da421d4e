extension Inquiry {
    /// The most rows of any list.
    public static let rowsMaximum = 1_000_000_000
    /// The most rows of a table, which is written when all rows are there, because its columns are as wide as the longest values.
    static let tableRowsMaximum = 100_000

    /// Whether the answer is a list that is read, so that a part of it must not look like the whole.
    var isList: Bool {
        switch self {
        case .jobs, .failures, .queues, .delegates, .line, .deadLetters, .deliveries, .destinations, .workers: true
        default: false
        }
    }

    /// Whether the answer has any number of objects.
    var hasRows: Bool {
        switch self {
        case .replayDeliveries, .replayLetters, .replayMatching, .discard, .wait, .watch: true
        default: isList
        }
    }

    /// - Throws: a usage error where the answer cannot be written in this format.
    func check(_ format: OutputFormat) throws(ProgramError) {
        if case .watch = self, format == .json {
            throw ProgramError(.usage, "-o json: events have no end, so they are no array; use -o ndjson")
        }
        guard let limit, limit > Self.tableRowsMaximum, !format.isJSON else { return }
        throw ProgramError(
            .usage,
            "--limit \(limit): a table has at most \(Self.tableRowsMaximum) rows; use -o ndjson, which writes each at once"
        )
    }

    private var limit: Int? {
        switch self {
        case .jobs(let filter): filter.limit
        case .line(_, let limit), .deadLetters(_, _, let limit): limit
        case .deliveries(let choice): choice.limit
        default: nil
        }
    }
}

public import Uploads

/// The statuses that count as success.
public struct HTTPStatuses: Hashable, Sendable {
    /// 200 to 299 (RFC 9110, section 15.3).
    public static let usual = HTTPStatuses(ranges: [200...299])

    private let ranges: [ClosedRange<Int>]

    private init(ranges: [ClosedRange<Int>]) { self.ranges = ranges }

    /// - Parameter items: statuses and ranges of statuses from 200 to 599: `200`, `300-303`; at least one.
    /// - Throws: `misconfigured` for anything else.
    public init(_ items: [String]) throws(UploadError) {
        var ranges: [ClosedRange<Int>] = []
        for item in items {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard let first = ends.first, let last = ends.last, ends.count <= 2, first <= last,
                200...599 ~= first, 200...599 ~= last
            else {
                throw UploadError(
                    .misconfigured,
                    "'\(item)' is no status: give such as 200, or a range such as 200-204, from 200 to 599")
            }
            ranges.append(first...last)
        }
        guard !ranges.isEmpty else {
            throw UploadError(.misconfigured, "no status counts as success: give at least one, such as 200")
        }
        self.ranges = ranges
    }

    public func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}

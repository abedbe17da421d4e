public import Foundation

/// A past time as people write it: how long ago, or when.
public enum PastTime {
    /// - Parameters:
    ///   - text: `2h`, RFC 3339, or a local time such as `2026-11-21T08:00`; nil gives nil.
    ///   - option: the option's name, for the error.
    /// - Throws: a usage error for any other text.
    public static func read(
        _ text: String?, of option: String, now: Date = Date()
    ) throws(ProgramError) -> Date? {
        guard let text else { return nil }
        if let seconds = Quantity.seconds(text), seconds < 1e9 { return now - seconds }
        do throws(ProgramError) { return try EnqueueSchedule.time(text) } catch {
            throw ProgramError(
                .usage,
                "\(option) '\(text.prefix(80))': expected how long ago, such as 2h, or a time such as 2026-11-21T08:00")
        }
    }
}

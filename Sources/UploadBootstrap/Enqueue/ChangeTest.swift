import Foundation
import Uploads

/// How `--changed` tells whether a file differs from the object that lies under its key.
public enum ChangeTest: String, CaseIterable, Sendable {
    /// By size and time. The time of a file counts beside the time at which the object's job was enqueued, when its bytes were read; for
    /// the object of another program beside the time at which it was written.
    case sizeAndTime = "size,mtime"
    /// By size and bytes: a checksum that the destination states, or the object itself.
    case digest

    /// What a list tells about a file.
    enum Finding: Hashable, Sendable {
        case new, changed, unchanged
        /// The object itself has to be looked at.
        case open
    }

    /// How much earlier than its job a file must have changed, in seconds: the kernel's time of a change lags by up to one of its ticks,
    /// 10 ms at most, and marks hold whole milliseconds.
    static let lagSeconds: TimeInterval = 0.02

    /// - Parameter listed: the object under the file's key; nil if there is none.
    func finding(size: Int64, modifiedAt: Date, beside listed: ListedObject?) -> Finding {
        guard let listed else { return .new }
        guard listed.size == size else { return .changed }
        guard self == .sizeAndTime else { return .open }
        switch listed.writer {
        case .job(let enqueuedAt): return Self.isOlder(modifiedAt, than: enqueuedAt) ? .unchanged : .changed
        case .unmarked: return Self.isOlder(modifiedAt, than: listed.modifiedAt) ? .unchanged : .changed
        // A job may have waited for long: the object can be newer than a change that it lacks.
        case .unlisted: return Self.isOlder(modifiedAt, than: listed.modifiedAt) ? .open : .changed
        }
    }

    static func isOlder(_ time: Date, than other: Date?) -> Bool {
        other.map { time.addingTimeInterval(lagSeconds) < $0 } ?? false
    }
}

public import Foundation
public import Uploads

/// One or more files for one account, which a ``TransferQueue`` transfers one after the other: a value, as it was when it was
/// asked for.
public struct TransferSession: Hashable, Codable, Sendable, Identifiable {
    /// How a session stands.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Kept, in no list.
        case saved
        /// Listed; its turn is to come.
        case queued
        /// Its turn has come, and at the moment nothing of it is sent: it waits for another try, or is paused.
        case active
        case running
        /// Does not run again by itself.
        case cancelled
        /// Does not run again by itself.
        case failed
        case finished

        public var isEnd: Bool { self == .cancelled || self == .failed || self == .finished }
        /// Whether it has its turn.
        public var isActive: Bool { self == .active || self == .running }
    }

    public let id: UUID
    public let account: TransferAccount
    /// In the order in which they are transferred.
    public internal(set) var files: [File]
    public internal(set) var state = State.saved
    /// Whether it is held, and with it all that come behind it.
    public internal(set) var isPaused = false

    /// From 1, one more for each time that it was run again after its end.
    var run = 1
    /// Whether the line at the broker is to have its jobs.
    var isHandedOver = false
    var isCancelling = false
    var isCancelTold = false
    var isPauseTold = false
    /// Whether it is to be removed when it has ended.
    var isRemoving = false
    /// Whether it has to give its turn back.
    var isGivingWay = false
    /// Whether it gave its turn back, and has not had it again.
    var hasGivenWay = false

    init(account: TransferAccount, files: [File], id: UUID = UUID()) {
        self.id = id
        self.account = account
        self.files = files
    }

    /// Bytes that the destination holds.
    public var bytesDone: Int64 { files.reduce(0) { $0 + $1.bytesDone } }
    public var bytesTotal: Int64 { files.reduce(0) { $0 + $1.size } }
    /// 0 to 1; 1 for nothing but empty files.
    public var fractionDone: Double { bytesTotal == 0 ? 1 : min(1, Double(bytesDone) / Double(bytesTotal)) }
    /// Why it failed: what its first failed file says.
    public var failure: UploadError? { files.lazy.compactMap(\.failure).first }

    /// Of its files whose end is not known, in order.
    var openJobs: [JobID] { files.compactMap { $0.state.isEnd ? nil : $0.job } }
}

public import Foundation
public import Uploads

/// Files for one account or from it, which a ``TransferQueue`` transfers one after the other: a value, as it was when it was asked
/// for.
public struct TransferSession: Hashable, Encodable, Sendable, Identifiable {
    /// How a session stands.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Kept, in no list.
        case saved
        /// Listed; its turn is to come. One that stays open waits so for files, too.
        case queued
        /// Its turn has come, and at the moment nothing of it is sent: it waits for another try, or is paused.
        case active
        case running
        /// Was cancelled, and what a worker was given of it has not ended: that takes a worker that removes what is half there, and more
        /// than a minute where another one may not have heard and be sending still.
        case cancelling
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
    public let direction: TransferDirection
    /// Whether files may be added to it: it does not finish when those that it has have ended.
    public internal(set) var staysOpen: Bool
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
    /// Whether it had its turn when it was cancelled, which is over when it has ended.
    var keepsTurn = false
    var isPauseTold = false
    /// Whether it is to be removed when it has ended.
    var isRemoving = false
    /// Whether it has to give its turn back.
    var isGivingWay = false
    /// Whether it gave its turn back, and has not had it again.
    var hasGivenWay = false

    init(
        account: TransferAccount, files: [File], direction: TransferDirection = .upload, staysOpen: Bool = false
    ) {
        id = UUID()
        self.account = account
        self.files = files
        self.direction = direction
        self.staysOpen = staysOpen
    }

    /// Bytes that the destination holds.
    public var bytesDone: Int64 { files.lazy.map(\.bytesDone).sumSaturating() }
    /// Of the files whose size is known.
    public var bytesTotal: Int64 { files.lazy.map { $0.size ?? 0 }.sumSaturating() }
    /// 0 to 1; 1 for nothing but empty files. Where objects are carried whose sizes become known one by one, each file counts alike.
    public var fractionDone: Double {
        if files.contains(where: { $0.other != nil }) {
            return files.reduce(0) { $0 + $1.fractionDone } / Double(files.count)
        }
        return bytesTotal == 0 ? 1 : min(1, Double(bytesDone) / Double(bytesTotal))
    }
    /// Why it failed: what its first failed file says.
    public var failure: UploadError? { files.lazy.compactMap(\.failure).first }

    /// Whether it was told that its turn came, and not that it is over.
    var isActivated: Bool { state.isActive || keepsTurn }

    /// Whether it waits for files to be added.
    var isIdle: Bool { staysOpen && !state.isEnd && files.allSatisfy(\.state.isEnd) }

    /// Of its files whose end is not known, in order.
    var openJobs: [JobID] { files.compactMap { $0.state.isEnd ? nil : $0.job } }
}

extension TransferSession: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UUID.self, forKey: .id)
        account = try container.decode(TransferAccount.self, forKey: .account)
        // Lists of versions that only knew uploads have neither.
        direction = try container.decodeIfPresent(TransferDirection.self, forKey: .direction) ?? .upload
        staysOpen = try container.decodeIfPresent(Bool.self, forKey: .staysOpen) ?? false
        files = try container.decode([File].self, forKey: .files)
        state = try container.decode(State.self, forKey: .state)
        isPaused = try container.decode(Bool.self, forKey: .isPaused)
        run = try container.decode(Int.self, forKey: .run)
        isHandedOver = try container.decode(Bool.self, forKey: .isHandedOver)
        isCancelling = try container.decode(Bool.self, forKey: .isCancelling)
        isCancelTold = try container.decode(Bool.self, forKey: .isCancelTold)
        keepsTurn = try container.decode(Bool.self, forKey: .keepsTurn)
        isPauseTold = try container.decode(Bool.self, forKey: .isPauseTold)
        isRemoving = try container.decode(Bool.self, forKey: .isRemoving)
        isGivingWay = try container.decode(Bool.self, forKey: .isGivingWay)
        hasGivenWay = try container.decode(Bool.self, forKey: .hasGivenWay)
    }
}

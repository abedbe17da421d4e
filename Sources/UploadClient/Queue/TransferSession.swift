public import Foundation
public import Uploads

/// Files to or from one account, which a ``TransferQueue`` transfers one after the other. A value: the state at the
/// moment of the call that returned it.
public struct TransferSession: Hashable, Encodable, Sendable, Identifiable {
    /// The state of a session.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Saved, and not listed.
        case saved
        /// Listed; its turn is to come. A session that stays open also has this state while it waits for files.
        case queued
        /// The session has its turn, and no worker sends its files at the moment: it waits for another try, or is
        /// paused.
        case active
        case running
        /// The session was cancelled, and not all of its jobs have ended. That takes a worker that removes the
        /// unfinished parts, and more than a minute if another worker may not know of the cancellation and still be
        /// sending.
        case cancelling
        /// Does not run again by itself.
        case cancelled
        /// Does not run again by itself.
        case failed
        case finished

        public var isEnd: Bool { self == .cancelled || self == .failed || self == .finished }
        /// Whether the session has its turn.
        public var isActive: Bool { self == .active || self == .running }
    }

    public let id: UUID
    public let account: TransferAccount
    public let direction: TransferDirection
    /// Whether files may be added: the session does not finish when its present files have ended.
    public internal(set) var staysOpen: Bool
    /// In the order in which they are transferred.
    public internal(set) var files: [File]
    public internal(set) var state = State.saved
    /// Whether the session is held, and with it all sessions behind it.
    public internal(set) var isPaused = false

    /// From 1; each run after an end raises it by one.
    var run = 1
    /// Whether the broker's serial line is to have the session's jobs.
    var isHandedOver = false
    var isCancelling = false
    var isCancelTold = false
    /// Whether the session had its turn when it was cancelled; its turn ends when the session has ended.
    var keepsTurn = false
    var isPauseTold = false
    /// Whether the session is to be removed when it has ended.
    var isRemoving = false
    /// Whether the session has to give its turn back.
    var isGivingWay = false
    /// Whether the session gave its turn back, and has not had it again.
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
    /// Bytes of the files whose size is known.
    public var bytesTotal: Int64 { files.lazy.map { $0.size ?? 0 }.sumSaturating() }
    /// 0 to 1; 1 if all files are empty. In sessions with objects, whose sizes become known one by one, each file
    /// counts the same.
    public var fractionDone: Double {
        if files.contains(where: { $0.other != nil }) {
            return files.reduce(0) { $0 + $1.fractionDone } / Double(files.count)
        }
        return bytesTotal == 0 ? 1 : min(1, Double(bytesDone) / Double(bytesTotal))
    }
    /// Why the session failed: the failure of its first failed file.
    public var failure: UploadError? { files.lazy.compactMap(\.failure).first }

    /// Whether listeners were told that the session's turn came, and not yet that it is over.
    var isActivated: Bool { state.isActive || keepsTurn }

    /// Whether the session waits for files to be added.
    var isIdle: Bool { staysOpen && !state.isEnd && files.allSatisfy(\.state.isEnd) }

    /// The jobs of the files that have not ended, in order.
    var openJobs: [JobID] { files.compactMap { $0.state.isEnd ? nil : $0.job } }
}

extension TransferSession: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UUID.self, forKey: .id)
        account = try container.decode(TransferAccount.self, forKey: .account)
        // Lists of versions that only knew uploads lack both fields.
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

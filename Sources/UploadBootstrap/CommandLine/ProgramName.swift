/// The programs that the one executable `longshore` acts as.
public enum ProgramName: String, CaseIterable, Sendable {
    case enqueueUpload = "enqueue-upload"
    case uploadWorker = "upload-worker"
    case uploadNotifier = "upload-notifier"
    case uploadctl

    /// The first argument with which `longshore` is this program, besides its name.
    public var word: String {
        switch self {
        case .enqueueUpload: "enqueue"
        case .uploadWorker: "worker"
        case .uploadNotifier: "notifier"
        case .uploadctl: "ctl"
        }
    }
}

/// The kind of an event. Bounded, because it begins the routing key and ends the CloudEvents type `upload.<kind>`.
public enum EventKind: String, CaseIterable, Codable, Sendable {
    case enqueued, started, waiting, handedOver, suspect, paused, progress, completed, failed, cancelled

    /// Whether the round is over.
    public var isEnd: Bool {
        switch self {
        case .completed, .failed, .cancelled: true
        case .enqueued, .started, .waiting, .handedOver, .suspect, .paused, .progress: false
        }
    }

    /// The CloudEvents type, `upload.completed` and so on.
    public var type: String { "upload.\(rawValue)" }

    /// nil for a type that names no upload event.
    public init?(type: String) {
        guard type.hasPrefix("upload.") else { return nil }
        self.init(rawValue: String(type.dropFirst("upload.".count)))
    }
}

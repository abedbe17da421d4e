import Uploads

/// The meaning of a message's `type` for its body.
enum WireType: Hashable, Sendable {
    case job, baton, marker, control, order, answer, destination, worker
    case event(EventKind)
    /// A Longshore type of a newer version.
    case newer(String)
    /// A type of another program.
    case foreign

    static let jobText = "upload.job.v1"
    static let batonText = "upload.baton.v1"
    static let markerText = "upload.marker.v1"
    static let controlText = "upload.control.v1"
    static let orderText = "upload.order.v1"
    static let answerText = "upload.answer.v1"
    static let destinationText = "upload.destination.v1"
    static let workerText = "upload.worker.v1"

    init(_ text: String?) {
        switch text {
        case Self.jobText?: self = .job
        case Self.batonText?: self = .baton
        case Self.markerText?: self = .marker
        case Self.controlText?: self = .control
        case Self.orderText?: self = .order
        case Self.answerText?: self = .answer
        case Self.destinationText?: self = .destination
        case Self.workerText?: self = .worker
        case let text?:
            if let kind = EventKind(type: text) {
                self = .event(kind)
            } else if Self.isNewer(text) {
                self = .newer(text)
            } else {
                self = .foreign
            }
        case nil: self = .foreign
        }
    }

    /// `upload.<job|baton|marker|control|order|answer|destination|worker>.v<2 or more>`.
    private static func isNewer(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "upload",
            ["job", "baton", "marker", "control", "order", "answer", "destination", "worker"].contains(words[1]),
            words[2].first == "v",
            let version = Int(words[2].dropFirst())
        else { return false }
        return version > 1
    }
}

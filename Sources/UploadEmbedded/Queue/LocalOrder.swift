import Uploads

/// What somebody wants of an upload, as its file holds it until whoever runs the queue has obeyed.
struct LocalOrder: Codable, Hashable, Sendable {
    var verb: Verb
    var job: JobID
    /// `runAgain`: the round that is to begin, so that two who order it begin one.
    var round: Int?
}

import Uploads

/// An order about an upload, as its file holds it until the process that runs the queue has applied it.
struct LocalOrder: Codable, Hashable, Sendable {
    var verb: Verb
    var job: JobID
    /// `runAgain`: the round to begin, so that two equal orders begin only one round.
    var round: Int?
}

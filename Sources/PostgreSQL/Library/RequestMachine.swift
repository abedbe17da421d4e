/// The steps of one request in pipeline mode, and what the server answered to them.
///
/// A request is a sequence of steps and a synchronisation point. The server answers each step, then the end of the step; after a
/// failure it skips all steps before the synchronisation point (PostgreSQL, section 34.5).
struct RequestMachine<Answer> {
    enum Step: Hashable {
        /// Each with the name of the prepared statement.
        case prepare(String)
        case deallocate(String)
        case execute(String)
    }

    enum Event {
        case answer(Answer)
        case failed(PostgreSQLError)
        case skipped
        case endOfStep
        case synchronised
    }

    private let steps: [Step]
    private var index = 0
    private var isAnswered = false
    private var answers: [Answer] = []
    /// The first failure.
    private(set) var failure: PostgreSQLError?
    /// The statements that are prepared at the server since this request.
    private(set) var prepared: [String] = []

    init(_ steps: [Step]) { self.steps = steps }

    /// Whether the answer to the present step has come, so that its end is next.
    var awaitsEndOfStep: Bool { isAnswered }

    /// - Returns: the answers to the executed statements once the server has synchronised; nil before.
    /// - Throws: `.connectionLost` if the server does not follow the protocol; the connection cannot be used any more then.
    mutating func receive(_ event: Event) throws(PostgreSQLError) -> Result<[Answer], PostgreSQLError>? {
        switch event {
        case .answer(let answer):
            try take("an answer")
            switch steps[index] {
            case .prepare(let name): prepared.append(name)
            case .deallocate: break
            case .execute: answers.append(answer)
            }
        case .failed(let error):
            try take("an error")
            failure = failure ?? error
        case .skipped:
            try take("a skipped statement")
            guard failure != nil else { throw Self.violation("a skipped statement without an error") }
        case .endOfStep:
            guard isAnswered else { throw Self.violation("the end of a statement without its answer") }
            isAnswered = false
            index += 1
        case .synchronised:
            guard index == steps.count else { throw Self.violation("a synchronisation before its turn") }
            return failure.map { .failure($0) } ?? .success(answers)
        }
        return nil
    }

    private mutating func take(_ what: String) throws(PostgreSQLError) {
        guard index < steps.count, !isAnswered else { throw Self.violation(what) }
        isAnswered = true
    }

    private static func violation(_ what: String) -> PostgreSQLError {
        PostgreSQLError(.connectionLost, "the server sent \(what) that no statement waits for", isOutcomeUnknown: true)
    }
}

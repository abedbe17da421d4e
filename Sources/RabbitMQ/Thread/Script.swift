/// Methods to be sent one after the other on a channel of their own.
final class Script {
    let steps: [Method]
    var next = 0
    /// Which errors do not end it; the step is left out.
    let passes: (RabbitMQError) -> Bool
    let finish: (Result<Void, RabbitMQError>) -> Void

    init(
        _ steps: [Method], passing passes: @escaping (RabbitMQError) -> Bool,
        finish: @escaping (Result<Void, RabbitMQError>) -> Void
    ) {
        self.steps = steps
        self.passes = passes
        self.finish = finish
    }
}

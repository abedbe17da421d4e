/// Methods to send on a channel of their own, without waiting for each other's answers.
final class Script {
    let steps: [Method]
    /// How many steps are not done yet.
    var left: Int
    /// Which errors do not end the script; the failed step is left out.
    let passes: (RabbitMQError) -> Bool
    let finish: (Result<Void, RabbitMQError>) -> Void

    init(
        _ steps: [Method], passing passes: @escaping (RabbitMQError) -> Bool,
        finish: @escaping (Result<Void, RabbitMQError>) -> Void
    ) {
        self.steps = steps
        self.left = steps.count
        self.passes = passes
        self.finish = finish
    }
}

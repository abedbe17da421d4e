import Testing
import UploadTesting

/// A point on a job's way at which a program is killed: a step at the broker or at the S3 server, and on which side of that step.
struct CrashPoint: Sendable, CustomTestStringConvertible {
    enum Victim: String {
        case worker
        case notifier
    }

    enum Size: String {
        /// A file of three parts, the last one small.
        case multipart
        /// A staged file in one request.
        case single
        /// A file inside the message.
        case inline

        var bytes: Int {
            switch self {
            case .multipart: 2 * 8 << 20 + 1000
            case .single: 1 << 20
            case .inline: 1000
            }
        }
    }

    /// Selects messages by their exchange, without the namespace, and the beginning of their routing key. The default exchange has no
    /// name; its routing key is the name of a queue, without the namespace.
    struct Mail: Sendable {
        let exchange: String
        let key: String
        /// A text that the body must contain; empty selects any body.
        var text = ""

        func matches(_ message: AMQPStep.Message, in namespace: String) -> Bool {
            guard text.isEmpty || String(decoding: message.body, as: UTF8.self).contains(text) else { return false }
            return exchange.isEmpty
                ? message.exchange.isEmpty && message.routingKey.hasPrefix("\(namespace).\(key)")
                : message.exchange == "\(namespace).\(exchange)" && message.routingKey.hasPrefix(key)
        }
    }

    enum Step: Sendable {
        case publish(Mail)
        case confirm(Mail)
        case deliver(Mail)
        case acknowledge(Mail)
        case request(@Sendable (HTTPFaultProxy.Request) -> Bool)
    }

    enum Moment: String {
        /// The step does not reach the other side.
        case before
        /// The other side has received the step, but the program has no answer yet.
        case after
    }

    let victim: Victim
    let moment: Moment
    let what: String
    let step: Step
    var size = Size.multipart
    /// The most parts that may have been on their way, and so are sent again.
    var resentMaximum = 0
    /// The number of sessions that no program knows any more, and that the sweep has to remove.
    var orphans = 0...0
    /// Whether the staged copy stays for the sweep.
    var leavesCopy = false
    /// Whether a worker is killed as it takes the job, so that the notifier has a suspect to decide on.
    var needsSuspect = false
    /// Whether the worker never gets the answer to its first opening request, so that it is superseded meanwhile and cannot
    /// report the session.
    var stallsOpening = false
    /// Whether parts go slowly, so that the job runs for longer than the second after which its progress is published.
    var isSlow = false

    var testDescription: String { "\(victim) killed \(moment) \(what), \(size)" }

    func action(on step: AMQPStep, in namespace: String, _ kill: KillSwitch) -> AMQPFaultProxy.Action {
        let mail: Mail? =
            switch (step, self.step) {
            case (.publish, .publish(let mail)), (.confirm, .confirm(let mail)), (.deliver, .deliver(let mail)),
                (.acknowledge, .acknowledge(let mail)):
                mail
            default: nil
            }
        guard let mail, step.messages.contains(where: { mail.matches($0, in: namespace) }), kill.claim() else {
            return .forward
        }
        return moment == .before ? .before { kill.kill() } : .after { kill.kill() }
    }

    /// - Parameter isFirstOpening: whether the request opens the first session.
    func action(
        on request: HTTPFaultProxy.Request, isFirstOpening: Bool, _ kill: KillSwitch
    ) -> HTTPFaultProxy.Action {
        if stallsOpening, isFirstOpening { return .stallAnswer }
        if case .request(let matches) = step, matches(request), kill.claim() {
            if moment == .after { return .forwardThenRun { kill.kill() } }
            kill.kill()
            return .cut
        }
        return isSlow && request.partNumber != nil ? .throttle(bytesPerSecond: 4 << 20) : .forward
    }
}

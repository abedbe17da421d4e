import Logging
import Uploads

/// The part of a delegate's configuration that only its kind has: it makes the delegate, and shows what may be shown of itself.
protocol DelegateKind: Hashable, Sendable {
    /// The word after `kind:`, and in the API.
    static var kindName: String { get }
    /// Deliveries at once where the configuration does not say.
    static var usualConcurrency: Int { get }
    /// When a failed delivery is tried again.
    static var schedule: DeliverySchedule { get }

    /// - Throws: `misconfigured` with what is wrong and what was expected, never with a secret.
    func delegate(_ context: DelegateContext) throws(UploadError) -> any CompletionDelegate

    /// Adds what only this kind has to a summary, without secrets.
    func describe(in summary: inout DelegateSummary)
}

extension DelegateKind {
    static var usualConcurrency: Int { 8 }
    static var schedule: DeliverySchedule { DeliverySchedule() }
}

/// What a delegate is made with besides the configuration of its kind.
struct DelegateContext {
    let name: String
    /// The delegate's own choice of fields; nil: events as they are.
    let mapping: FieldMapping?
    let allowNetworks: [NetworkRange]
    /// Where queue delegates have their queues; nil without a broker.
    let queues: (any DelegateQueues)?
    let logger: Logger
}

public import Foundation

/// A message as it is kept when the ledger cannot record it: its body, and what is needed to publish it again.
public struct MessageCopy: Hashable, Sendable {
    public var body: Data
    public var envelope: MessageEnvelope

    public init(body: Data, envelope: MessageEnvelope) {
        self.body = body
        self.envelope = envelope
    }
}

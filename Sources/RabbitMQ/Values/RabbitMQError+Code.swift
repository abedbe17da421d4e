extension RabbitMQError {
    /// The kind of an error; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case accessRefused, cancelled, channelClosed, closed, connectionLost, connectionRefused, consumerCancelled
            case frameError, invalidArgument, invalidURL, loginRefused, messageRefused, nacked, notConnected, notFound
            case preconditionFailed, resourceLocked, returned, timedOut, tlsFailed
        }

        private let kind: Kind

        /// The user may not do this to that object (403).
        public static let accessRefused = Code(kind: .accessRefused)
        /// The calling task was cancelled; a request that was sent may still take effect.
        public static let cancelled = Code(kind: .cancelled)
        /// The broker closed the channel; it is opened again by itself, its consumers are not.
        public static let channelClosed = Code(kind: .channelClosed)
        /// The connection or channel was closed by this program.
        public static let closed = Code(kind: .closed)
        /// The connection was lost while the call was under way: it is unknown whether the broker carried it out.
        public static let connectionLost = Code(kind: .connectionLost)
        /// No broker could be reached at any of the addresses.
        public static let connectionRefused = Code(kind: .connectionRefused)
        /// The broker cancelled the consumer, most likely because its queue was deleted.
        public static let consumerCancelled = Code(kind: .consumerCancelled)
        /// The peer sent a frame that the protocol does not allow.
        public static let frameError = Code(kind: .frameError)
        /// An argument that the protocol cannot carry (a name longer than 255 bytes, say).
        public static let invalidArgument = Code(kind: .invalidArgument)
        /// A broker URL that cannot be parsed.
        public static let invalidURL = Code(kind: .invalidURL)
        /// The broker does not know the user, or refuses the password or the virtual host.
        public static let loginRefused = Code(kind: .loginRefused)
        /// The broker refuses the message: it is larger than `max_message_size`, or a property does not fit (406).
        public static let messageRefused = Code(kind: .messageRefused)
        /// The broker refused to take responsibility for the message (a full queue, say).
        public static let nacked = Code(kind: .nacked)
        /// There is no connection just now, and nothing was sent.
        public static let notConnected = Code(kind: .notConnected)
        /// No such queue or exchange (404).
        public static let notFound = Code(kind: .notFound)
        /// The object is declared with other arguments, or its queue does not support an argument (406).
        public static let preconditionFailed = Code(kind: .preconditionFailed)
        /// The queue belongs exclusively to another connection (405), or has an exclusive consumer (403).
        public static let resourceLocked = Code(kind: .resourceLocked)
        /// The message was routed to no queue (312).
        public static let returned = Code(kind: .returned)
        /// The broker did not answer in time.
        public static let timedOut = Code(kind: .timedOut)
        /// The certificate, the host name or the handshake failed.
        public static let tlsFailed = Code(kind: .tlsFailed)

        /// A bounded set, fit for metric labels.
        public var description: String { kind.rawValue }

        var isUsuallyUnknown: Bool {
            switch kind {
            case .connectionLost, .channelClosed, .cancelled, .timedOut: true
            default: false
            }
        }

        var isUsuallyRetryable: Bool {
            switch kind {
            case .channelClosed, .connectionLost, .connectionRefused, .consumerCancelled, .frameError, .nacked,
                .notConnected, .resourceLocked, .timedOut:
                true
            case .accessRefused, .cancelled, .closed, .invalidArgument, .invalidURL, .loginRefused, .messageRefused,
                .notFound, .preconditionFailed, .returned, .tlsFailed:
                false
            }
        }
    }
}

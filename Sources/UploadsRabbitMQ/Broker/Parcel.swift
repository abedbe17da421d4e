import RabbitMQ

/// A message and its address.
struct Parcel: Sendable {
    var message: Message
    var exchange: String
    var routingKey: String
    /// Whether a repeat must be recognizable: jobs and batons. Events and markers are dropped by id when they come
    /// twice.
    var flagsRepeats = false
    /// Whether it is an error when no queue gets it.
    var isMandatory = true
    /// How long to wait for the confirm before the next one goes over a new channel; nil: for as long as it takes.
    var confirmLimit: Duration?
    /// The objects to declare again when the broker has no queue for the message. Made only then: the ladder alone is
    /// hundreds of objects.
    var topology: Topology? { makeTopology() }

    private let makeTopology: @Sendable () -> Topology?

    init(
        message: Message, exchange: String, routingKey: String, flagsRepeats: Bool = false,
        isMandatory: Bool = true, confirmLimit: Duration? = nil,
        topology: @autoclosure @escaping @Sendable () -> Topology? = nil
    ) {
        self.message = message
        self.exchange = exchange
        self.routingKey = routingKey
        self.flagsRepeats = flagsRepeats
        self.isMandatory = isMandatory
        self.confirmLimit = confirmLimit
        makeTopology = topology
    }

    /// The same message as a repeat; it is not known whether the first try arrived.
    var repeated: Parcel {
        guard flagsRepeats else { return self }
        var parcel = self
        parcel.message.headers[WireFormat.maybeRepeatedHeader] = true
        return parcel
    }
}

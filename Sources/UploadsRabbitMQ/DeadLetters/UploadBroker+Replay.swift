import RabbitMQ
public import Uploads

extension UploadBroker {
    /// How long the broker may take to confirm a dead letter that is published again.
    private static let replayPatience = Duration.seconds(10)

    /// Publishes a dead letter again as it was, at its place, mandatory. Confirmed when this returns. It carries the
    /// letter's number, so that an unreadable return can be linked to it.
    ///
    /// - Returns: the place, for people.
    /// - Throws: `rejected`, with a remedy, for a letter that cannot be published again, or that no queue takes;
    ///   `networkFailure`, `serverFailure` when the broker does not confirm it: then it may have arrived or not, and it
    ///   does no harm to publish it once more.
    public func replay(_ letter: UnreadableMessage) async throws(UploadError) -> String {
        let route = try DeadLetterRoute(letter, topology)
        var message = letter.envelope?.message(letter.body) ?? Message(body: letter.body)
        message.headers[WireFormat.replayHeader] = .int64(letter.id)
        if route.flagsRepeats { message.headers[WireFormat.maybeRepeatedHeader] = true }
        // If only a lane can take it, it goes directly to the lane's queue: if there is none, the exchange would turn
        // it into another dead letter.
        let isForLane = route.exchange == topology.jobs
        let parcel = Parcel(
            message: message, exchange: isForLane ? "" : route.exchange,
            routingKey: isForLane ? "\(topology.jobs).\(route.routingKey)" : route.routingKey,
            flagsRepeats: route.flagsRepeats, confirmLimit: Self.replayPatience)
        let lanes = route.lanes.map { topology.lanes(of: $0) } ?? Topology()
        do throws(RabbitMQError) {
            try await ensure(topology.notifiers + lanes.queues.map(\.name), of: topology.foundation + lanes)
            try await publisher.publish(parcel)
        } catch {
            if error.code == .returned {
                throw UploadError(
                    .rejected,
                    "no queue takes dead letter \(letter.id): there is no lane \(route.routingKey); start a worker with that "
                        + "queue, then publish it again")
            }
            throw UploadError(
                error, doing: "dead letter \(letter.id) is not known to be published again; try once more")
        }
        return route.text(topology)
    }
}

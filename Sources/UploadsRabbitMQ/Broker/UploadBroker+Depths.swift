import RabbitMQ
public import Uploads

extension UploadBroker {
    /// The messages that wait in the lanes of transfer queues now, and the number of their consumers. A queue that was
    /// never declared is left out.
    public func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try await consumingConnection().depths(of: queues, in: topology)
    }

    /// The events that wait for the notifiers in all shards, and how many notifiers take them: of the shard that the fewest take.
    /// - Returns: nil if the queue of a shard was never declared.
    public func notifierDepth() async throws(UploadError) -> LaneDepth? {
        let connection = try await consumingConnection()
        var whole: LaneDepth?
        for queue in topology.notifiers {
            do throws(RabbitMQError) {
                let depth = try await found(connection) { channel throws(RabbitMQError) in
                    try await channel.depth(of: queue)
                }
                guard let depth else { return nil }
                let (messages, consumers) = (Int(depth.messages), Int(depth.consumers))
                whole = LaneDepth(
                    messages: (whole?.messages ?? 0) + messages,
                    consumers: min(whole?.consumers ?? consumers, consumers))
            } catch {
                throw UploadError(error, doing: "the queue '\(queue)' could not be looked at")
            }
        }
        return whole
    }
}

extension Connection {
    /// The messages that wait in the lanes of transfer queues now, and the number of their consumers. A queue that was
    /// never declared is left out.
    func depths(
        of queues: [QueueName], in topology: UploadTopology
    ) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        var depths: [QueueName: [Lane: LaneDepth]] = [:]
        for queue in queues {
            do throws(RabbitMQError) {
                // A channel for each queue: the broker closes the channel when a queue is missing.
                let channel = try await openChannel()
                let lanes: Result<[Lane: LaneDepth], RabbitMQError> = await lanes(of: queue, in: topology, by: channel)
                await channel.close()
                depths[queue] = try lanes.get()
            } catch {
                if error.code == .notFound { continue }
                throw UploadError(error, doing: "the lanes of '\(queue)' could not be looked at")
            }
        }
        return depths
    }

    private func lanes(
        of queue: QueueName, in topology: UploadTopology, by channel: Channel
    ) async -> Result<[Lane: LaneDepth], RabbitMQError> {
        var lanes: [Lane: LaneDepth] = [:]
        do throws(RabbitMQError) {
            for lane in Lane.allCases {
                let depth = try await channel.depth(of: topology.laneQueue(queue, lane))
                lanes[lane] = LaneDepth(messages: Int(depth.messages), consumers: Int(depth.consumers))
            }
            return .success(lanes)
        } catch {
            return .failure(error)
        }
    }
}

import RabbitMQ
public import Uploads

extension UploadBroker {
    /// The messages that wait in the lanes of transfer queues now, and the number of their consumers. A queue that was
    /// never declared is left out.
    public func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try await consumingConnection().depths(of: queues, in: topology)
    }

    /// The events that wait for the notifier, and how many notifiers take them.
    /// - Returns: nil if the notifier's queue was never declared.
    public func notifierDepth() async throws(UploadError) -> LaneDepth? {
        let (queue, connection) = (topology.notifier, try await consumingConnection())
        do throws(RabbitMQError) {
            let depth = try await found(connection) { channel throws(RabbitMQError) in
                try await channel.depth(of: queue)
            }
            return depth.map { LaneDepth(messages: Int($0.messages), consumers: Int($0.consumers)) }
        } catch {
            throw UploadError(error, doing: "the queue '\(queue)' could not be looked at")
        }
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

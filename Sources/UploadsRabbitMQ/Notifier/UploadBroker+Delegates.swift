public import Foundation
import RabbitMQ
public import Uploads

extension UploadBroker: DelegateQueues {
    public func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError) {
        var message = try WireFormat.message(event: event)
        message.body = body
        // The delegate drops repeats by this id.
        message.messageID = event.id
        let parcel = Parcel(message: message, exchange: "", routingKey: topology.delegateQueue(delegate))
        do throws(RabbitMQError) {
            do throws(RabbitMQError) {
                try await publisher.publish(parcel)
            } catch {
                guard error.code == .returned || error.code == .notFound else { throw error }
                try await publisher.connection.declareAgain(topology.delegate(delegate))
                try await publisher.publish(parcel)
            }
        } catch {
            let failure = UploadError(error, doing: "the queue of delegate '\(delegate)' did not take an outcome")
            // Full, closed, away, declared otherwise by another program: all of that can be corrected while the
            // outcomes wait.
            throw UploadError(failure.code, failure.message, retry: .afterBackoff, cause: error)
        }
    }
}

import Logging
import RabbitMQ
public import Uploads

/// Published like progress: transient, not mandatory, not confirmed.
extension UploadBroker: DestinationReporter {
    public func tell(_ report: DestinationReport) {
        do throws(UploadError) {
            let message = try WireFormat.message(report: report)
            publisher.post(Parcel(message: message, exchange: topology.progress, routingKey: report.routingKey))
        } catch {
            logger.error("a destination's state cannot be written", metadata: ["error": .string(error.description)])
        }
    }
}

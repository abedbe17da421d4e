import Logging
import RabbitMQ
public import Uploads

/// Published like progress: transient, not mandatory, not confirmed.
extension UploadBroker: WorkerReporter {
    public func tell(_ report: DestinationReport) {
        post("a destination's state cannot be written", key: report.routingKey) { () throws(UploadError) in
            try WireFormat.message(report: report)
        }
    }

    public func tell(_ report: WorkerReport) {
        post("a worker's state cannot be written", key: WorkerReport.routingKey) { () throws(UploadError) in
            try WireFormat.message(worker: report)
        }
    }

    private func post(_ problem: Logger.Message, key: String, _ message: () throws(UploadError) -> Message) {
        do throws(UploadError) {
            publisher.post(Parcel(message: try message(), exchange: topology.progress, routingKey: key))
        } catch {
            logger.error(problem, metadata: ["error": .string(error.description)])
        }
    }
}

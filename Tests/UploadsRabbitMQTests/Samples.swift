import Foundation
import RabbitMQ
import Uploads

@testable import UploadsRabbitMQ

/// Values to send.
enum Samples {
    static let secret = "X-Amz-Signature=c0ffee"

    static func job(
        queue: QueueName = .standard, priority: Lane = .normal, source: SourceReference = .inline(Data("abc".utf8)),
        destination: DestinationReference = .named(DestinationName(unchecked: "photos"), key: "2026/cat.jpg")
    ) -> UploadJob {
        UploadJob(
            queue: queue, priority: priority, source: source, destination: destination, contentType: "text/plain",
            size: 3, digests: Digests(crc64nvme: "ae8b14860a799888"), metadata: ["album": "cats"],
            // Times travel in whole milliseconds.
            enqueuedAt: Date(timeIntervalSince1970: 1_795_000_000.5))
    }

    /// A job whose destination is a credential itself.
    static func presigned(queue: QueueName = .standard) -> UploadJob {
        job(queue: queue, destination: .url("https://s3.example.test/bucket/cat.jpg?\(secret)"))
    }

    static func baton(_ job: UploadJob = job(), generation: Int = 1, slice: Int = 0) -> Baton {
        var baton = Baton(job: job, generation: generation)
        baton.slice = slice
        return baton
    }

    static func topology() throws -> UploadTopology { try UploadTopology(namespace: "upload") }
}

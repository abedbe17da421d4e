import Foundation
import RabbitMQ
import Uploads
import UploadsRabbitMQ

/// `Instructions OPERATION COUNT` repeats one operation. `Tests/Performance/count-instructions` counts the instructions that the
/// processor executes meanwhile.
///
/// `Instructions` alone lists the operations, each with the number of items in one run of it.
@main
enum Instructions {
    private static let time = Date(timeIntervalSince1970: 1_800_000_000.123)

    private static var operations: [(name: String, what: String, run: (Int) throws -> Void)] {
        [
            (
                "encode-baton", "a baton with a multipart state becomes a message",
                { count in for _ in 0..<count { keep(try WireFormat.message(baton: baton)) } }
            ),
            (
                "decode-baton", "and the message that baton",
                { count in
                    let message = try WireFormat.message(baton: baton)
                    for _ in 0..<count { keep(WireFormat.read(message)) }
                }
            ),
            (
                "encode-event", "a completed event becomes a message",
                { count in for _ in 0..<count { keep(try WireFormat.message(event: event)) } }
            ),
            (
                "decode-event", "and the message that event",
                { count in
                    let message = try WireFormat.message(event: event)
                    for _ in 0..<count { keep(WireFormat.read(message)) }
                }
            ),
            (
                "plan-parts", "a file of 10 TiB is planned, and its 10,000 parts or fewer named",
                { count in
                    let limits = PartLimits(
                        partBytesMinimum: 5 << 20, partBytesMaximum: 5 << 30, partCountMaximum: 10_000)
                    for _ in 0..<count {
                        let plan = try PartPlan(size: 10 << 40, limits: limits)
                        keep(plan.parts.reduce(0) { $0 &+ $1.range.upperBound })
                    }
                }
            ),
            ("crc64nvme", "1 MiB", { count in each(count) { crc(&$0, CRC64NVME()) { $0.update($1) } } }),
            ("crc32c", "1 MiB", { count in each(count) { crc(&$0, CRC32C()) { $0.update($1) } } }),
            (
                "acknowledge-in-order", "1,000 deliveries are acknowledged as they came, told after every 50",
                { count in for _ in 0..<count { acknowledge(Array(1...1000)) } }
            ),
            (
                "acknowledge-mixed",
                "1,000 deliveries are acknowledged in the order of 16 workers that differ in speed",
                { count in
                    // Of 16 successive deliveries, the last one is acknowledged 60 tags late.
                    let tags = (1...1000).sorted { $0 + $0 % 16 * 4 < $1 + $1 % 16 * 4 }
                    for _ in 0..<count { acknowledge(tags.map(UInt64.init)) }
                }
            ),
        ]
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first else {
            for operation in operations { print("\(operation.name)\t\(operation.what)") }
            return
        }
        guard let operation = operations.first(where: { $0.name == name }),
            let count = arguments.dropFirst().first.flatMap({ Int($0) })
        else {
            FileHandle.standardError.write(Data("usage: Instructions [OPERATION COUNT]\n".utf8))
            exit(64)
        }
        try operation.run(count)
    }

    private static var job: UploadJob {
        var job = UploadJob(
            source: .staged(area: "area-1", name: "0190163d-8694-739b-aea5-966c26f8ad91-IMG_1234.jpg"),
            destination: .named(DestinationName(unchecked: "photos"), key: "2026/11/22/IMG_1234.jpg"),
            contentType: "image/jpeg", size: 123_456_789, metadata: ["owner": "user-17", "camera": "K-7"],
            enqueuedAt: time)
        job.digests = Digests(sha256: String(repeating: "5a", count: 32), crc64nvme: "ae8b14860a799888")
        return job
    }

    private static let baton: Baton = {
        var baton = Baton(job: job)
        baton.slice = 3
        baton.bytesSent = 100_000_000
        baton.state = UploadState(
            driver: "s3", payload: ["uploadID": .string(String(repeating: "x", count: 120)), "partBytes": 8_388_608])
        return baton
    }()

    private static let event: UploadEvent = {
        var object = StoredObject(location: "https://s3.example/photos/2026/11/22/IMG_1234.jpg", size: 123_456_789)
        object.etag = "\"9b2cf535f27731c974343645a3985328-12\""
        return UploadEvent(outcome: .completed(object, response: nil), of: baton, at: time)
    }()

    private static func each(_ count: Int, _ take: (inout [UInt8]) -> Void) {
        var bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        for _ in 0..<count { take(&bytes) }
    }

    private static func crc<Checksum>(
        _ bytes: inout [UInt8], _ start: Checksum, _ update: (inout Checksum, UnsafeRawBufferPointer) -> Void
    ) {
        var checksum = start
        bytes.withUnsafeBytes { update(&checksum, $0) }
        keep(checksum)
    }

    private static func acknowledge(_ tags: [UInt64]) {
        var window = AcknowledgementWindow()
        let now = ContinuousClock.now
        window.delivered(tags.max() ?? 0)
        for (index, tag) in tags.enumerated() {
            window.acknowledge(tag, at: now)
            if index % 50 == 49 { keep(window.flush(at: now)) }
        }
        keep(window.flush(at: now, isFinal: true))
    }

    /// Keeps the optimizer from removing a result that no code uses.
    @inline(never)
    private static func keep<Value>(_: Value) {}
}

import Foundation
import Testing
import Uploads

@Suite struct DeliveryFilterTests {
    private var job: UploadJob {
        var job = UploadJob(
            source: .inline(Data()), destination: .named(DestinationName(unchecked: "photos"), key: "a"), size: 0,
            metadata: ["tier": "gold", "customer": "acme"], enqueuedAt: Date(timeIntervalSince1970: 0))
        job.batch = "nightly"
        return job
    }

    @Test(arguments: [
        DeliveryFilter(), DeliveryFilter(queues: ["default", "video"]), DeliveryFilter(destinations: ["photos"]),
        DeliveryFilter(batches: ["nightly"]), DeliveryFilter(metadata: ["tier": "gold"]),
        DeliveryFilter(
            queues: ["default"], destinations: ["photos"], batches: ["nightly"],
            metadata: ["tier": "gold", "customer": "acme"]),
    ])
    func `a job passes when everything that is asked of it holds`(filter: DeliveryFilter) {
        #expect(filter.passes(job))
    }

    @Test(arguments: [
        DeliveryFilter(queues: ["video"]), DeliveryFilter(destinations: ["archive"]),
        DeliveryFilter(batches: ["daily"]),
        DeliveryFilter(metadata: ["tier": "silver"]), DeliveryFilter(metadata: ["tier": "gold", "region": "eu"]),
        DeliveryFilter(queues: ["default"], destinations: ["archive"]),
    ])
    func `a job does not pass when one thing does not hold`(filter: DeliveryFilter) {
        #expect(!filter.passes(job))
    }

    @Test func `two spellings of a letter are two names`() {
        var job = job
        job.batch = "caf\u{E9}"
        #expect(DeliveryFilter(batches: ["caf\u{E9}"]).passes(job))
        #expect(!DeliveryFilter(batches: ["cafe\u{301}"]).passes(job))
        #expect(DeliveryFilter(batches: ["cafe\u{301}", "caf\u{E9}"]).batches.count == 2)
    }

    @Test func `a job without a batch is in none`() {
        var alone = job
        alone.batch = nil
        #expect(!DeliveryFilter(batches: ["nightly"]).passes(alone))
    }
}

import Testing
import UploadDestinations
import UploadEmbedded
import Uploads

@Suite("Embedded destinations") struct EmbeddedDestinationsTests {
    private let destinations = EmbeddedDestinations(
        [DestinationName(unchecked: "disk"): DirectoryDestination(DirectoryConfiguration(path: "/tmp"))],
        retries: [DestinationName(unchecked: "disk"): RetryPolicy(maxAttempts: 3)])

    private func driver(_ text: String) throws -> String? {
        try destinations.destination(for: DestinationReference(text))?.driver
    }

    @Test func `names are those that were given, and URLs need none`() throws {
        #expect(try driver("disk:a") == "directory")
        #expect(try driver("other:a") == nil)
        #expect(try driver("https://example.org/a") == "http")
        #expect(try driver("file:///tmp/a") == "directory")
    }

    @Test func `a destination's retry policy is that of its name`() throws {
        #expect(destinations.retry(for: try DestinationReference("disk:a"))?.maxAttempts == 3)
        #expect(destinations.retry(for: try DestinationReference("other:a")) == nil)
        #expect(destinations.retry(for: try DestinationReference("file:///tmp/a")) == nil)
    }
}

import Logging
import Synchronization
import Testing
import UploadNotifier
import UploadTesting
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct ReloadServiceTests {
    private let files: Files

    init() throws { files = try Files() }

    private static let first = """
        destinations: {a: {driver: directory, path: /x}}
        sourceRoots: [/srv]
        worker: {parts: 3}
        """

    /// Reads a second configuration anew, as a worker does.
    /// - Returns: the worker's destinations, which the caller shuts down, and the lines of the log.
    private func reload(
        _ next: String, takesOver: (@Sendable (ConfigurationKey) -> Bool)? = nil
    ) async throws -> (DestinationRegistry, [String]) {
        let input = try files.input(Self.first)
        let configuration = try UploadConfiguration(input)
        let registry = try DestinationRegistry(configuration)
        let lines = Mutex<[String]>([])
        var service = ReloadService(
            program: .uploadWorker, input: input, settings: configuration.settings,
            logger: Logger(label: "test") { _ in LineHandler { line in lines.withLock { $0.append(line) } } }
        ) { try registry.reload($0) }
        if let takesOver { service.takesOver = takesOver }
        try files.write("upload.yaml", next)
        await service.reload()
        return (registry, lines.withLock { $0 })
    }

    private static let next = """
        destinations: {b: {driver: directory, path: /y, limits: {jobs: 4}}}
        sourceURLs: ['https://files.example/pub/']
        worker: {parts: 5}
        notifier: {sweepAfter: 2d}
        log: {level: debug}
        """

    @Test func `a reload counts for destinations and sources, and the log names what counts from the next start on`()
        async throws
    {
        let (registry, lines) = try await reload(Self.next)
        let b = DestinationReference.named(DestinationName(unchecked: "b"), key: "k")
        #expect(try registry.destination(for: b)?.limits.jobs == 4)
        #expect(try registry.origin(for: .url("https://files.example/pub/x")) != nil)
        #expect(
            lines == [
                "notice configuration read anew [:]",
                "notice changed keys count from the next start on [\"keys\": log.level, sourceRoots, worker.parts]",
            ])
        try await registry.shutdown()
    }

    @Test func `the log names nothing where no value has changed, or all new ones count`() async throws {
        let (same, lines) = try await reload(Self.first.replacing("parts: 3", with: "parts: '3'"))
        #expect(lines == ["notice configuration read anew [:]"])
        try await same.shutdown()
        let (other, otherLines) = try await reload(Self.next) { _ in true }
        #expect(otherLines.count == 1)
        try await other.shutdown()
    }

    @Test func `a wrong configuration changes nothing`() async throws {
        let (registry, lines) = try await reload(
            "destinations: {b: {driver: directory, path: /y}}\nworker: {parts: 0}")
        #expect(registry.sweepable.map(\.name.rawValue) == ["a"])
        #expect(lines.count == 1)
        #expect(lines.first?.contains("configuration is wrong; the old one stays") == true)
        try await registry.shutdown()
    }
}

import Testing

@Suite struct ImportTests {
    /// The modules that each target may import. `UploadBootstrap` may import all; drivers know only the domain.
    static let allowed: [String: Set<String>] = [
        "Uploads": ["CChecksums", "Foundation", "Synchronization"],
        "TraceContexts": ["Uploads", "Tracing"],
        "OpenTelemetry": [
            "TraceContexts", "Uploads", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "SwiftProtobuf",
            "Logging", "Tracing", "Foundation", "FoundationEssentials", "Synchronization",
        ],
        "UploadWorkers": [
            "TraceContexts", "Uploads", "Crypto", "ServiceLifecycle", "Logging", "Metrics", "Tracing", "Foundation",
            "Synchronization",
        ],
        "UploadClient": [
            "Uploads", "UploadSources", "UploadsRabbitMQ", "LinuxFiles", "AsyncHTTPClient", "NIOCore", "NIOHTTP1",
            "Logging",
            "Foundation", "Glibc", "Synchronization",
        ],
        "UploadEmbedded": [
            "Uploads", "UploadClient", "UploadDestinations", "UploadSources", "UploadWorkers", "LinuxFiles", "Logging",
            "ServiceLifecycle", "Foundation", "Glibc", "Synchronization",
        ],
        "UploadSources": [
            "Uploads", "LinuxFiles", "AsyncAlgorithms", "NIOCore", "NIOPosix", "Crypto", "Foundation", "Glibc",
            "Synchronization",
        ],
        "HTTPCalls": [
            "Uploads", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Foundation", "Synchronization",
        ],
        "UploadDestinations": [
            "Uploads", "HTTPCalls", "LinuxFiles", "TraceContexts", "AsyncHTTPClient", "Crypto", "XMLCoder", "NIOCore",
            "NIOHTTP1", "NIOPosix", "NIOSSL", "Tracing", "Foundation", "Glibc", "Synchronization",
        ],
        "LinuxFiles": ["CLinux", "NIOCore", "NIOPosix", "Foundation", "Glibc", "Synchronization"],
        "RabbitMQ": ["CRabbitMQ", "Logging", "Foundation", "Glibc", "Synchronization"],
        "PostgreSQL": ["CPostgreSQL", "Foundation", "Glibc", "Synchronization"],
        "UploadsAPI": ["Foundation"],
        "UploadsRabbitMQ": [
            "Uploads", "RabbitMQ", "TraceContexts", "Logging", "Tracing", "Foundation", "Synchronization",
        ],
        "UploadNotifier": [
            "CLinux", "CZstd", "HTTPCalls", "PostgreSQL", "TraceContexts", "Tracing", "Uploads", "UploadsAPI", "GRDB",
            "Hummingbird", "Crypto",
            "NIOCore",
            "NIOPosix",
            "HummingbirdCore", "NIOFoundationCompat", "NIOHTTP1", "NIOSSL", "Logging", "Metrics", "ServiceLifecycle",
            "Foundation",
            "Glibc",
            "Synchronization",
        ],
    ]
    static let programs: Set = ["longshore"]

    let repository = Repository()

    @Test func everyTargetImportsOnlyWhatItsPlaceInTheHouseAllows() throws {
        for file in try repository.swiftFiles(below: "Sources") {
            guard let allowed = Self.allowed[file.target] else { continue }
            let strangers = file.imports.filter { !allowed.contains($0) }
            #expect(strangers.isEmpty, "\(file) imports \(strangers)")
        }
    }

    @Test func aProgramParsesCallsTheBootstrapAndSetsTheExitCode() throws {
        let allowed: Set = ["ArgumentParser", "UploadBootstrap", "Uploads", "Foundation", "Glibc"]
        for file in try repository.swiftFiles(below: "Sources") where Self.programs.contains(file.target) {
            #expect(file.imports.allSatisfy(allowed.contains), "\(file) imports \(file.imports)")
        }
    }

    @Test func everyTargetIsKnownToTheseRules() throws {
        let known = Set(Self.allowed.keys).union(Self.programs).union(["UploadBootstrap"])
        let targets = Set(try repository.swiftFiles(below: "Sources").map(\.target))
        #expect(targets.subtracting(known).isEmpty)
        #expect(Set(Self.allowed.keys).subtracting(targets).isEmpty, "a rule for a target that is not there")
    }

    @Test func onlyTestsImportTheTestingLibrary() throws {
        for file in try repository.swiftFiles(below: "Sources") {
            #expect(!file.imports.contains("UploadTesting") && !file.imports.contains("Testing"), "\(file)")
        }
    }
}

// swift-tools-version: 6.2
import PackageDescription

// Dependencies point inward: of our own targets, `Uploads` imports only `CChecksums`, `UploadDestinations` only `Uploads`,
// `HTTPCalls` and `LinuxFiles`, and `UploadBootstrap` alone imports them all. The build checks it: `--explicit-target-dependency-import-check error`.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncAlgorithms = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioFoundationCompat = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioResumableUpload = Target.Dependency.product(name: "NIOResumableUpload", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let swiftProtobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let xmlCoder = Target.Dependency.product(name: "XMLCoder", package: "XMLCoder")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// The commit that `--version` names.
let commit = Context.gitInformation.map { $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "") }

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: settings)
}

/// An example program for newcomers to the client library.
func example(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["UploadClient", "Uploads"] + dependencies, path: "Tests/Examples/\(folder)",
        swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

let package = Package(
    name: "longshore",
    products: [
        .library(name: "UploadClient", targets: ["UploadClient"]),
        .library(name: "UploadEmbedded", targets: ["UploadClient", "UploadDestinations", "UploadEmbedded", "Uploads"]),
        .executable(name: "longshore", targets: ["longshore"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/CoreOffice/XMLCoder", from: "0.18.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(name: "CChecksums"),
        library("Uploads", ["CChecksums"]),
        library("UploadsAPI"),
        library("TraceContexts", ["Uploads", tracing]),
        library(
            "OpenTelemetry",
            [
                "TraceContexts", "Uploads", asyncHTTPClient, logging, nioCore, nioHTTP1, nioPosix, nioSSL,
                swiftProtobuf, tracing,
            ]),
        library(
            "UploadWorkers", ["TraceContexts", "Uploads", crypto, logging, metrics, serviceLifecycle, tracing]),
        .target(name: "CLinux"),
        .target(name: "CVersion", cSettings: commit.map { [.define("LONGSHORE_COMMIT", to: "\"\($0)\"")] } ?? []),
        library("LinuxFiles", ["CLinux", nioPosix]),
        library("UploadSources", ["LinuxFiles", "Uploads", asyncAlgorithms, crypto]),
        library("HTTPCalls", ["Uploads", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL]),
        library(
            "UploadDestinations",
            [
                "HTTPCalls", "LinuxFiles", "TraceContexts", "Uploads", asyncHTTPClient, crypto, nioCore, nioHTTP1,
                nioPosix, nioSSL, tracing, xmlCoder,
            ]),
        .systemLibrary(name: "CRabbitMQ", pkgConfig: "librabbitmq", providers: [.apt(["librabbitmq-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        library("RabbitMQ", ["CRabbitMQ", logging]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        library("PostgreSQL", ["CPostgreSQL"]),
        library(
            "UploadsRabbitMQ", ["RabbitMQ", "TraceContexts", "Uploads", logging, tracing], exclude: ["Schemas"]),
        library(
            "UploadClient",
            ["LinuxFiles", "UploadSources", "Uploads", "UploadsRabbitMQ", asyncHTTPClient, logging, nioCore, nioHTTP1]),
        library(
            "UploadEmbedded",
            [
                "LinuxFiles", "UploadClient", "UploadDestinations", "UploadSources", "UploadWorkers", "Uploads",
                logging, serviceLifecycle,
            ]),
        library(
            "UploadNotifier",
            [
                "CLinux", "CZstd", "HTTPCalls", "PostgreSQL", "TraceContexts", "Uploads", "UploadsAPI", crypto, grdb,
                hummingbird, hummingbirdCore, logging, metrics, nioCore, nioFoundationCompat, nioHTTP1, nioPosix,
                nioSSL,
                serviceLifecycle, tracing,
            ],
            resources: [
                .embedInCode("API/openapi.yaml"), .embedInCode("Dashboard/dashboard.css"),
                .embedInCode("Dashboard/dashboard.js"), .embedInCode("Ledger/rows.dictionary"),
            ]
        ),
        library(
            "UploadBootstrap",
            [
                "CLinux", "CVersion", "HTTPCalls", "LinuxFiles", "OpenTelemetry", "RabbitMQ",
                "UploadClient", "UploadDestinations", "UploadEmbedded", "UploadNotifier", "UploadSources",
                "UploadWorkers", "Uploads", "UploadsAPI", "UploadsRabbitMQ", argumentParser, asyncHTTPClient, grdb,
                hummingbird, hummingbirdCore, logging, metrics, nioCore, nioHTTP1, nioPosix, serviceLifecycle, tracing,
                unixSignals, yams,
            ]
        ),
        .executableTarget(
            name: "longshore", dependencies: ["UploadBootstrap", argumentParser], swiftSettings: settings),

        .target(
            name: "UploadTesting", dependencies: ["RabbitMQ", "Uploads", logging], path: "Tests/UploadTesting",
            exclude: ["Servers/Python"], swiftSettings: settings),
        .target(
            name: "ResumableTesting",
            dependencies: [
                httpTypes, nioCore, nioHTTP1, nioHTTPTypes, nioHTTPTypesHTTP1, nioPosix, nioResumableUpload,
            ], path: "Tests/ResumableTesting", swiftSettings: settings),
        .target(
            name: "UploadClientTesting", dependencies: ["UploadClient", "UploadTesting", "Uploads"],
            path: "Tests/UploadClientTesting", swiftSettings: settings),
        .executableTarget(
            name: "LedgerBenchmark", dependencies: ["UploadNotifier", "Uploads"],
            path: "Tests/Performance/LedgerBenchmark",
            swiftSettings: settings),
        .executableTarget(
            name: "Instructions", dependencies: ["RabbitMQ", "Uploads", "UploadsRabbitMQ"],
            path: "Tests/Performance/Instructions",
            swiftSettings: settings),
        example("example-delegate-service", "DelegateService", [logging]),
        example("example-download", "Downloader", [logging]),
        example("example-embedded", "EmbeddedUploader", ["UploadDestinations", "UploadEmbedded", argumentParser]),
        example("example-uploader", "Uploader", [logging]),
        .executableTarget(
            name: "killed-client",
            dependencies: ["UploadClient", "UploadDestinations", "UploadEmbedded", "Uploads", logging],
            path: "Tests/KilledClient", swiftSettings: settings),
        tests("HouseRulesTests", []),
        tests("RabbitMQTests", ["CRabbitMQ", "RabbitMQ", "UploadTesting", logging]),
        tests("PostgreSQLTests", ["PostgreSQL", "UploadTesting"]),
        tests("UploadsTests", ["Uploads", "UploadTesting"]),
        tests(
            "UploadWorkersTests",
            ["UploadDestinations", "UploadWorkers", "Uploads", "UploadTesting", logging, metrics, serviceLifecycle]),
        tests("OpenTelemetryTests", ["OpenTelemetry", "TraceContexts", "UploadTesting", "Uploads", logging, tracing]),
        tests("UploadSourcesTests", ["LinuxFiles", "UploadSources", "Uploads", "UploadTesting", crypto]),
        tests(
            "UploadDestinationsTests",
            [
                "HTTPCalls", "LinuxFiles", "ResumableTesting", "UploadDestinations", "UploadEmbedded", "UploadSources",
                "Uploads", "UploadTesting", asyncHTTPClient, httpTypes, logging, nioCore, nioHTTP1, nioPosix, nioSSL,
            ]),
        tests(
            "UploadClientTests",
            [
                "LinuxFiles", "RabbitMQ", "UploadClient", "UploadClientTesting", "UploadDestinations", "UploadEmbedded",
                "UploadSources", "UploadTesting", "Uploads", "UploadsRabbitMQ", logging,
            ]),
        tests("UploadsRabbitMQTests", ["RabbitMQ", "UploadsRabbitMQ", "Uploads", "UploadTesting", logging]),
        tests(
            "UploadNotifierTests",
            [
                "PostgreSQL", "UploadNotifier", "Uploads", "UploadsAPI", "UploadTesting", grdb, hummingbird,
                hummingbirdTesting,
                logging,
                nioCore,
                nioHTTP1, nioPosix, serviceLifecycle, yams,
            ]),
        tests(
            "UploadBootstrapTests",
            [
                "RabbitMQ", "UploadBootstrap", "UploadClient", "UploadDestinations", "UploadNotifier", "UploadSources",
                "Uploads", "UploadsAPI", "UploadTesting",
                argumentParser, asyncHTTPClient, logging, metrics, nioCore, nioHTTP1, serviceLifecycle, yams,
            ],
            exclude: ["Monitoring/dashboard.py"]),
        tests(
            "EndToEndTests",
            [
                "LinuxFiles", "RabbitMQ", "ResumableTesting", "UploadClient", "UploadClientTesting",
                "UploadDestinations", "UploadEmbedded", "UploadNotifier", "UploadSources", "UploadTesting",
                "UploadWorkers", "Uploads", "UploadsRabbitMQ", asyncHTTPClient, grdb, logging, nioCore, nioHTTP1,
            ],
            exclude: ["API", "Faults/faults.json"]),
    ]
)

// The targets that the Thread Sanitizer checks; with this variable, deploy/test builds no others. Sources need NIO and BoringSSL, which
// take longer to build than all the rest, so only the soak checks them: LONGSHORE_THREAD_SANITIZER=sources.
if let scope = Context.environment["LONGSHORE_THREAD_SANITIZER"] {
    var judged: Set = [
        "CChecksums", "CLinux", "CRabbitMQ", "RabbitMQ", "RabbitMQTests", "UploadTesting", "Uploads", "UploadsTests",
    ]
    if scope == "sources" { judged.formUnion(["LinuxFiles", "UploadSources", "UploadSourcesTests"]) }
    package.targets.removeAll { !judged.contains($0.name) }
    package.products = []
}

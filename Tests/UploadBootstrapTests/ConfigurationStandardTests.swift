import AsyncHTTPClient
import Logging
import NIOCore
import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

/// The defaults that keys of destinations and delegates state are those that apply where the key is left out.
struct ConfigurationStandardTests {
    private let files: Files

    init() throws { files = try Files() }

    /// Complete settings of each driver; several versions where keys need or exclude each other.
    private static let destinations: [String: [[String: String]]] = [
        "bridge": [["url": "https://h/", "password": "p", "appId": "a", "phone": "1"]],
        "directory": [["path": "/x"]],
        "http": [
            ["url": "https://h/", "username": "u", "password": "p"], ["url": "https://h/", "ranges": "true"],
            ["url": "https://h/", "form.file": "file"],
        ],
        "presigned": [
            ["url": "https://h/"], ["url": "https://h/", "complete.url": "https://h/{id}"],
            ["url": "https://h/", "status.url": "https://h/{id}", "status.done": "done"],
        ],
        "resumable": [["url": "https://h/"]], "s3": [["bucket": "b"], ["bucket": "b", "encryption": "kms"]],
        "tus": [["url": "https://h/"]], "webdav": [["url": "https://h/", "username": "u", "password": "p"]],
    ]

    private static let delegates: [String: [String: String]] = [
        "webhook": ["url": "https://h/", "secret": "whsec_aGVsbG8gaGVsbG8gaGVsbG8gaGVsbG8h"], "queue": [:],
        "command": ["command": "/bin/true"], "log": ["path": "/x"],
    ]

    private func settings(_ values: [String: String]) throws -> Settings {
        var input = try files.input("")
        for (path, value) in values { input.set(path, to: value, flag: "--test") }
        return try Settings(input)
    }

    /// The keys below a section that the owner has, each with its name there and its default.
    private func keys(_ section: String, _ owner: String) -> [(key: ConfigurationKey, name: String, standard: String)] {
        ConfigurationKey.all.compactMap { key in
            guard key.components[0] == section, key.owners.isEmpty || key.owners.contains(owner),
                let standard = key.standard(of: owner)
            else { return nil }
            return (key, key.components.dropFirst(2).joined(separator: "."), standard)
        }
    }

    private func destination(_ driver: String, _ values: [String: String]) throws -> DestinationSettings {
        let all = values.merging(["driver": driver]) { $1 }
        return try DestinationSettings("a", try settings(all.mapKeys { "destinations.a.\($0)" }))
    }

    @Test(arguments: DestinationDrivers.names)
    func `a destination has the stated defaults of keys that are left out`(driver: String) throws {
        let versions = try #require(Self.destinations[driver])
        for (key, name, standard) in keys("destinations", driver) where name != "connectTimeout" {
            var isCompared = false
            for version in versions where version[name] == nil {
                guard let with = try? destination(driver, version.merging([name: standard]) { $1 }) else { continue }
                let without = try destination(driver, version)
                isCompared = true
                #expect(AnyHashable(with.driver) == AnyHashable(without.driver), "\(driver): \(key.path)")
                #expect(with.isSource == without.isSource)
                #expect((with.retry ?? RetryPolicy()) == (without.retry ?? RetryPolicy()), "\(key.path)")
                #expect((with.patience ?? JobLifetime.patience) == (without.patience ?? JobLifetime.patience))
            }
            #expect(isCompared, "\(driver) takes \(key.path) in none of the versions")
        }
    }

    @Test func `connecting may take as long as the key's default says`() throws {
        let key = try #require(ConfigurationKey.find(["destinations", "a", "connectTimeout"]))
        let seconds = try #require(key.standard.flatMap(Quantity.seconds))
        #expect(HTTPConfiguration.clientConfiguration.timeout.connect == .seconds(Int64(seconds)))
    }

    @Test(arguments: DelegateKinds.names)
    func `a delegate has the stated defaults of keys that are left out`(kind: String) throws {
        func made(_ values: [String: String]) throws -> (DelegateConfiguration.Kind, RegisteredDelegate) {
            var input = try files.input("")
            for (name, value) in values.merging(["kind": kind], uniquingKeysWith: { $1 }) {
                input.set("delegates.a.\(name)", to: value, flag: "--test")
            }
            let configuration = try UploadConfiguration(input)
            let delegate = try #require(configuration.delegates.first)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let registered = try configuration.registeredDelegates(queues: BrokerDelegateQueues(), logger: logger)
            return (
                try delegate.kind.configuration(delegate.section, environment: [:]), try #require(registered.first)
            )
        }
        let usual = try #require(Self.delegates[kind])
        let without = try made(usual)
        for (key, name, standard) in keys("delegates", kind) {
            let with = try made(usual.merging([name: standard]) { $1 })
            #expect(with.0 == without.0, "\(kind): \(key.path)")
            #expect(with.1.concurrencyMaximum == without.1.concurrencyMaximum, "\(kind): \(key.path)")
            #expect(with.1.isOrdered == without.1.isOrdered)
        }
    }

    @Test func `each key that is true or false, and each default, is a value`() {
        for key in ConfigurationKey.all {
            let standards = key.owners.isEmpty ? [key.standard] : key.owners.map(key.standard(of:))
            if case .boolean = key.kind { #expect(!standards.contains(nil), "\(key.path)") }
            for standard in standards.compactMap(\.self) { #expect(key.kind.accepts(standard), "\(key.path)") }
            #expect(Set(key.standards.keys).isSubset(of: key.owners), "\(key.path)")
        }
    }
}

extension Dictionary {
    fileprivate func mapKeys(_ transform: (Key) -> Key) -> [Key: Value] {
        Dictionary(uniqueKeysWithValues: map { (transform($0), $1) })
    }
}

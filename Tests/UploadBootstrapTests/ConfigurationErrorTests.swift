import Testing
import Uploads

@testable import UploadBootstrap

struct ConfigurationErrorTests {
    private let files: Files

    init() throws { files = try Files() }

    private func problems(_ yaml: String, environment: [String: String] = [:]) throws -> [String] {
        let input = try files.input(yaml, environment: environment)
        do throws(ProgramError) {
            _ = try UploadConfiguration(input)
            return []
        } catch {
            #expect(error.exitCode == .configuration)
            return error.problems
        }
    }

    @Test func `an unknown key names the nearest known one and its line`() throws {
        #expect(
            try problems("namespace: a\nworkr:\n  slice: 5m")
                == ["upload.yaml:2: workr: unknown key; did you mean 'worker'?"])
        #expect(
            try problems("worker:\n  concurency: 5")
                == ["upload.yaml:2: worker.concurency: unknown key; did you mean 'concurrency'?"])
        #expect(
            try problems("destinations:\n  a:\n    driver: directory\n    pth: /x").first
                == "upload.yaml:4: destinations.a.pth: unknown key; did you mean 'path'?")
    }

    @Test func `a retry policy's keys are checked like others`() throws {
        let base = "destinations:\n  a:\n    driver: directory\n    path: /x\n    retry:\n      "
        #expect(
            try problems(base + "maxAtempts: 3")
                == ["upload.yaml:6: destinations.a.retry.maxAtempts: unknown key; did you mean 'maxAttempts'?"])
        #expect(try problems(base + "maxAttempts: 0").first?.contains("a whole number from 1 to 1000") == true)
        #expect(try problems(base + "maxAge: 1s").first?.contains("a duration from 1m to 30d") == true)
        #expect(try problems(base + "{maxAttempts: 3, maxAge: 2h, base: 5s, cap: 1m}") == [])
    }

    @Test func `a key that is like none lists what is known there`() throws {
        let problem = try #require(try problems("tls:\n  zzzzzzzzz: 1").first)
        #expect(problem == "upload.yaml:2: tls.zzzzzzzzz: unknown key; known here: caFile, certificateFile, keyFile")
    }

    @Test(arguments: [
        (
            "consumerTimeout: 3m\nworker:\n  slice: 61s",
            "upload.yaml:3: worker.slice: is more than a third of consumerTimeout, within which a job has to be handed over; give 1m at most"
        ),
        ("worker:\n  slice: soon", "upload.yaml:2: worker.slice: 'soon': expected a duration from 1s to 2d"),
        (
            "notifier:\n  sweepAfter: 5m",
            "upload.yaml:2: notifier.sweepAfter: '5m': expected a duration from 1h to 40d, such as 25s, 5m, 2h or 1d, or off"
        ),
        ("worker:\n  concurrency: 0", "upload.yaml:2: worker.concurrency: '0': expected a whole number from 1 to 1000"),
        ("worker:\n  http: 9701", "upload.yaml:2: worker.http: '9701': expected HOST:PORT"),
        ("broker: http://x", "upload.yaml:1: broker: 'http://x': expected a URL that begins with amqp:// or amqps://"),
        ("namespace: Big", "upload.yaml:1: namespace: 'Big': expected 1 to 64 of the characters"),
        ("log:\n  level: loud", "upload.yaml:2: log.level: 'loud': expected trace, debug, info"),
        ("namespace: [a]", "upload.yaml:1: namespace: expected 1 to 64 of the characters"),
        ("worker: fast", "upload.yaml:1: worker: expected a section"),
        ("- a", "upload.yaml:1: the file: expected a section"),
        ("a: b: c", "upload.yaml:1: not YAML: "),
        ("namespace: a\nnamespace: b", "upload.yaml:1: the same key twice: namespace"),
        ("destinations: {Cat: {driver: directory}}", "upload.yaml:1: destinations.Cat: expected a name"),
        (
            "destinations:\n  a: {driver: ftp}",
            "upload.yaml:2: destinations.a.driver: 'ftp': expected bridge, directory, http, presigned, resumable, s3, tus or webdav"
        ),
        ("destinations:\n  a: {driver: directory}", "upload.yaml:2: destinations.a: 'path' is missing"),
        ("destinations:\n  a: {path: /x}", "upload.yaml:2: destinations.a: 'driver' is missing"),
        (
            "destinations:\n  a:\n    driver: directory\n    path: /x\n    url: https://h/",
            "upload.yaml:5: destinations.a.url: is no key of driver 'directory' (but of 'bridge', 'http', 'presigned', 'resumable', 'tus', 'webdav')"
        ),
        (
            "destinations:\n  a: {driver: http, url: 'https://h/x'}",
            "upload.yaml:2: destinations.a.url: expected a URL that ends in '/'"
        ),
        ("destinations:\n  a:\n    limits: {jobs: many}", "upload.yaml:3: destinations.a.limits.jobs: 'many'"),
        (
            "delegates:\n  a: {kind: mail}",
            "upload.yaml:2: delegates.a.kind: 'mail': expected webhook, queue, command or log"
        ),
    ])
    func `a malformed value says file, line, key and what was expected`(yaml: String, start: String) throws {
        let problem = try #require(try problems(yaml).first)
        #expect(problem.hasPrefix(start), "\(problem)")
    }

    @Test func `all problems are told at once`() throws {
        #expect(try problems("workr: 1\nnamespace: Big", environment: ["UPLOAD_WORKER_PARTS": "x"]).count == 3)
    }

    @Test func `a malformed variable is named`() throws {
        #expect(
            try problems("", environment: ["UPLOAD_WORKER_PARTS": "x"])
                == ["environment UPLOAD_WORKER_PARTS: worker.parts: 'x': expected a whole number from 1 to 100"])
    }

    @Test func `a variable that is none of ours is a warning, for the prefix is not ours alone`() throws {
        let configuration = try UploadConfiguration(try files.input("", environment: ["UPLOAD_BROKR": "x"]))
        #expect(configuration.warnings == ["environment UPLOAD_BROKR is not used; did you mean UPLOAD_BROKER?"])
    }

    @Test func `a file that is not there is an error only when it was named`() throws {
        #expect(throws: Never.self) {
            try UploadConfiguration(ConfigurationInput(environment: [:], directory: files.path))
        }
        let error = #expect(throws: ProgramError.self) {
            try UploadConfiguration(ConfigurationInput(file: "none.yaml", environment: [:], directory: files.path))
        }
        #expect(error?.exitCode == .configuration)
        #expect(error?.description.hasPrefix("none.yaml: cannot read") == true)
    }

    @Test func `a password in a malformed URL is not shown`() throws {
        let problem = try #require(try problems("broker: http://jo:hunter2@host/?token=hunter3").first)
        #expect(!problem.contains("hunter"))
    }

    @Test func `a shared key is of the drivers that list it, any other of one driver alone`() throws {
        func owners(_ key: String) throws -> [String] {
            try #require(ConfigurationKey.find(["destinations", "a"] + key.split(separator: ".").map(String.init)))
                .owners
        }
        #expect(DestinationDrivers.names == DestinationDrivers.names.sorted())
        #expect(try owners("partSize") == ["http", "resumable", "s3", "tus"])
        #expect(try owners("caFile") == DestinationDrivers.names.filter { $0 != "directory" })
        #expect(try owners("temporaryFolder") == ["webdav"])
        #expect(try owners("limits.jobs") == [])
        #expect(
            ConfigurationKey.sharedByDrivers.allSatisfy { key in
                DestinationDrivers.all.filter { $0.keys.contains { $0.path == key.path } }.count > 1
            })
    }

    @Test func `no key is said twice`() {
        let paths = ConfigurationKey.all.map(\.path)
        #expect(Set(paths).count == paths.count, "\(Dictionary(grouping: paths) { $0 }.filter { $1.count > 1 }.keys)")
    }
}

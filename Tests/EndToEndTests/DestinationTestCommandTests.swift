import Foundation
import ResumableTesting
import Testing
import UploadTesting

/// `uploadctl destination test`.
@Suite(.timeLimit(.minutes(40))) struct DestinationTestCommandTests {
    @Test func whatWorksIsSaidToWorkAndNothingStaysThere() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            for name in ["local", "bucket"] {
                let report = try await deployment.control("destination", "test", name)
                for step in ["settings", "look", "begin", "send", "remove"] {
                    #expect(report.outputText.contains("\n  ok      \(step) "), "\(report.outputText)")
                }
                #expect(report.outputText.hasSuffix("'\(name)' works, as seen from this host\n"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path).isEmpty)
            #expect(bucket.proxy.requests.contains { $0.request.method == "DELETE" && $0.status == 204 })
            #expect(!bucket.proxy.requests.contains { $0.request.method == "PUT" && $0.request.partNumber == nil })
        }
    }

    @Test func whatIsWrongIsSaidInPlainWords() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(
            destinations: [
                bucket.destination(name: "forged", secret: "wrong-secret"),
                bucket.destination(name: "nowhere", bucket: "there-is-none"),
                bucket.destination(name: "unset", secret: "env:LONGSHORE_NO_SUCH_SECRET"),
                "deaf: {driver: http, url: 'http://127.0.0.1:\(try Ports.free())/', answersHead: true}",
                "blind: {driver: http, url: '\(bucket.proxy.url)/'}",
                "gone: {driver: directory, path: /nowhere/at/all}",
            ]
        ) { deployment in
            func failure(_ name: String) async throws -> String {
                let report = try await deployment.control("destination", "test", name, expecting: 1)
                #expect(report.outputText.contains("\n'\(name)' does not work from this host: step '"))
                return report.outputText
            }
            #expect(try await failure("forged").contains("  FAILED  look "))
            #expect(try await failure("nowhere").contains("there-is-none"))
            let unset = try await failure("unset")
            #expect(unset.contains("  FAILED  settings ") && unset.contains("LONGSHORE_NO_SUCH_SECRET"))
            #expect(try await failure("deaf").contains("cannot be reached"))
            #expect(try await failure("gone").contains("/nowhere/at/all"))

            let blind = try await deployment.control("destination", "test", "blind")
            #expect(blind.outputText.contains("  -       begin     it takes whole files only"))
            #expect(blind.outputText.contains("as far as it was tried"))
            let typo = try await deployment.control("destination", "test", "bucked", expecting: 66)
            #expect(typo.errorText.contains("no destination is configured as 'bucked'"))
        }
    }

    @Test func serversOfEachKindAreTriedOutAsFarAsTheProtocolCan() async throws {
        let tus = try await TusServer.start()
        let dav = try await WebDAVServer.start(.apache)
        let apple = try await AppleServer()
        let destinations = [
            "intake: {driver: tus, url: '\(tus.url)'}",
            "inbox: {driver: resumable, url: 'http://127.0.0.1:\(apple.port)/files/', interop: 6}",
            "cloud: {driver: webdav, url: '\(dav.url())'}",
            "web: {driver: http, url: '\(dav.url())', answersHead: true}",
        ]
        try await Deployment.with(destinations: destinations) { deployment in
            for name in ["intake", "inbox"] {
                let report = try await deployment.control("destination", "test", name)
                for step in ["begin", "send", "remove"] {
                    #expect(report.outputText.contains("\n  ok      \(step) "), "\(report.outputText)")
                }
            }
            #expect(try tus.uploads().isEmpty)
            for name in ["cloud", "web"] {
                let looked = try await deployment.control("destination", "test", name)
                #expect(looked.outputText.contains("  ok      look "), "\(looked.outputText)")
                #expect(dav.names(in: "").isEmpty)
                let written = try await deployment.control("destination", "test", name, "--write", "trial.bin")
                #expect(written.outputText.contains("  ok      write "), "\(written.outputText)")
                #expect(dav.stored("trial.bin")?.count == 1024)
                try dav.remove("trial.bin")
            }
            let wrong = try await deployment.control("destination", "test", "cloud", "--write", "../x", expecting: 64)
            #expect(wrong.errorText.contains("--write ../x: a key has no parts '.' or '..'"), "\(wrong.errorText)")
        }
    }

    @Test func aFileIsWrittenWhereOneIsAskedForAndNothingIsReplaced() async throws {
        try await Deployment.with { deployment in
            let report = try await deployment.control(
                "destination", "test", "local", "--write", "folder/file", "--json")
            let json = try JSONSerialization.jsonObject(with: Data(report.outputText.utf8)) as? [String: Any]
            #expect(json?["works"] as? Bool == true)
            let steps = json?["steps"] as? [[String: Any]]
            #expect(steps?.map { $0["step"] as? String } == ["settings", "look", "write"])
            let file = deployment.uploaded.appending(path: "folder/file")
            let bytes = try Data(contentsOf: file)
            #expect(bytes.count == 1024)
            let again = try await deployment.control(
                "destination", "test", "local", "--write", "folder/file", expecting: 1)
            #expect(again.outputText.contains("something lies at local:folder/file already"))
            #expect(try Data(contentsOf: file) == bytes)
        }
    }
}

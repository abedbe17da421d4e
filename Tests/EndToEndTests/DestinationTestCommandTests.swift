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
            let report = try await deployment.control("destination", "test", "local")
            for step in ["settings", "look", "begin", "send", "remove"] {
                #expect(report.outputText.contains("\n  ok      \(step) "), "\(report.outputText)")
            }
            #expect(report.outputText.hasSuffix("'local' works, as seen from this host\n"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path).isEmpty)

            let surveyed = try await deployment.control("destination", "test", "bucket", "--prefix", "trials/")
            let lines = surveyed.outputText.split(separator: "\n")
            #expect(
                lines.allSatisfy { $0.count <= 80 || $0.contains("://") || $0.hasPrefix("  ok ") },
                "\(surveyed.outputText)")
            for ability in [
                "write an object", "read an object", "copy an object", "compare checksums", "write in parts",
                "abort an upload",
            ] {
                #expect(lines.contains { $0.hasPrefix("  yes     \(ability) ") }, "\(ability): \(surveyed.outputText)")
            }
            // OpenStack Swift obeys If-None-Match only of PutObject, compares checksums but returns none, and its ETags are MD5.
            for ability in ["conditions of PutObject", "conditions in parts", "tell checksums"] {
                #expect(lines.contains { $0.hasPrefix("  no      \(ability) ") }, "\(ability): \(surveyed.outputText)")
            }
            let advice = [
                "  etag: md5", "  signPayload: true",
                "Leave conditions out of the configuration: of them it obeys If-None-Match of",
            ]
            for line in advice {
                #expect(lines.contains { $0 == line }, "\(line): \(surveyed.outputText)")
            }
            #expect(surveyed.outputText.hasSuffix("'bucket' works, as seen from this host\n"))
            let written = bucket.proxy.requests.filter { $0.method == "PUT" }.map(\.request.path)
            #expect(!written.isEmpty && written.allSatisfy { $0.contains("/trials/longshore-test-") }, "\(written)")
            #expect(try await bucket.observer.listKeys(bucket.name).isEmpty)
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    @Test func missingRightsAreNamedAndWhatIsNeededFails() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            let denied = HTTPFaultProxy.Action.answer(
                status: 403, body: "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
            bucket.proxy.setRule { request in
                let isListing = request.query["uploads"] != nil && request.method == "GET"
                return isListing || request.query["lifecycle"] != nil ? denied : .forward
            }
            let some = try await deployment.control("destination", "test", "bucket")
            #expect(
                some.outputText.contains(
                    "\nMissing rights: s3:ListBucketMultipartUploads, s3:GetLifecycleConfiguration\n"),
                "\(some.outputText)")
            bucket.proxy.setRule { $0.method == "PUT" && $0.partNumber == nil ? denied : .forward }
            let needed = try await deployment.control("destination", "test", "bucket", "-o", "json", expecting: 1)
            let json = try JSONSerialization.jsonObject(with: Data(needed.outputText.utf8)) as? [String: Any]
            #expect(json?["works"] as? Bool == false && json?["missingRights"] as? [String] == ["s3:PutObject"])
            let abilities = json?["abilities"] as? [[String: Any]]
            #expect(abilities?.first?["ability"] as? String == "write an object")
            #expect(abilities?.first?["answer"] as? String == "no")
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
                #expect(report.outputText.contains("\n'\(name)' does not work from this host: "))
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
                "destination", "test", "local", "--write", "folder/file", "-o", "json")
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

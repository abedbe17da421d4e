/// What the documentation promises of each driver, with the tests that prove it.
enum DriverTable {
    /// A cell of the table, and the test that proves it.
    struct Claim {
        let text: String
        /// `Suite.test`; nil for a cell that promises nothing.
        let shownBy: String?

        static func yes(_ text: String = "yes", _ test: String) -> Claim { Claim(text: text, shownBy: test) }
        static func no(_ text: String = "no") -> Claim { Claim(text: text, shownBy: nil) }
    }

    struct Row {
        let driver: String
        let resumes: Claim
        let parallel: Claim
        let verified: Claim
        let conditional: Claim
        let cancelled: Claim
        let servers: String

        var claims: [Claim] { [resumes, parallel, verified, conditional, cancelled] }
    }

    static let titles = [
        "driver", "resumes elsewhere", "parts at once", "checked end to end", "conditional write", "cancel removes",
        "tested against",
    ]

    static let rows = [
        Row(
            driver: "bridge",
            resumes: .yes(
                "the completing call",
                "BridgeConformanceTests.another worker only completes what is there, without a byte sent again"),
            parallel: .no("no, one PUT"),
            verified: .yes("yes, Content-MD5", "BridgeConformanceTests.a file goes up as the documentation says"),
            conditional: .no("each upload gets a new place"), cancelled: .no("no, Bridge has no call for it"),
            servers: "a scripted server that follows the specification"),
        Row(
            driver: "directory",
            resumes: .yes("yes, by the part", "DirectoryConformanceTests.another worker goes on where one stopped"),
            parallel: .yes("yes", "DirectoryDestinationTests.parts may be sent all at once"),
            verified: .yes("yes", "DirectoryDestinationTests.bytes that are not the job's are never stored"),
            conditional: .yes("yes", "DirectoryConformanceTests.conditions hold"),
            cancelled: .yes("yes", "DirectoryConformanceTests.a discarded upload leaves nothing"),
            servers: "the file system, with and without extended attributes"),
        Row(
            driver: "http",
            resumes: .yes(
                "with ranges, by the part",
                "HTTPRangeTests.another worker goes on where one stopped, and sends no byte twice"),
            parallel: .no(), verified: .no("no: TLS protects the bytes on their way"),
            conditional: .yes("of PUT, where the server supports it", "HTTPFaultTests.conditions travel as headers"),
            cancelled: .yes(
                "yes; ranges only where they are known to be the job's own",
                "HTTPRangeTests.a cancelled upload is removed, and another job's object is not"),
            servers: "nginx, Flask, Apache httpd; Imgur by its documentation"),
        Row(
            driver: "presigned",
            resumes: .yes(
                "the completing call",
                "PresignedConformanceTests.another worker only completes what is there, without a byte sent again"),
            parallel: .no("no, one PUT"),
            verified: .yes(
                "with `contentMD5`",
                "PresignedConformanceTests.a digest that is asked for goes with the request and with the bytes"),
            conditional: .no("the endpoint decides"), cancelled: .no("no, there is no call for it"),
            servers: "S3 of OpenStack Swift and of rclone, behind an endpoint that signs the URLs"),
        Row(
            driver: "resumable",
            resumes: .yes(
                "yes, by the byte",
                "ResumableResumeTests.another worker goes on in the middle of a part, at the byte where the server stopped"
            ),
            parallel: .no(),
            verified: .yes(
                "where the server checks digests",
                "ResumableConformanceTests.digests are told: of the whole where it is known, of parts where it is wanted"
            ),
            conditional: .no(),
            cancelled: .yes("yes", "ResumableConformanceTests.a discarded upload leaves nothing"),
            servers: "swift-nio-extras (versions 3, 5, 6), a scripted server (7, 8), nginx (plain)"),
        Row(
            driver: "s3", resumes: .yes("yes, by the part", "S3ConformanceTests.another worker goes on"),
            parallel: .yes("yes", "S3ConformanceTests.another worker goes on"),
            verified: .yes(
                "yes, CRC-64/NVME or SHA-256",
                "S3ConformanceTests.every checksum arrives in a header, with signed bodies and without"),
            conditional: .yes(
                "where the server supports it",
                "S3ConformanceTests.conditions hold, also those that the server does not have"
            ),
            cancelled: .yes("yes", "S3ConformanceTests.a discarded upload leaves nothing"),
            servers: "OpenStack Swift's S3, rclone"),
        Row(
            driver: "tus",
            resumes: .yes(
                "yes, by the byte",
                "TusResumeTests.another worker goes on in the middle of a part, at the byte where the server stopped"),
            parallel: .yes(
                "with concatenation",
                "TusConcatenationTests.parts go at once and make one upload, of which nothing else remains"),
            verified: .yes(
                "where the server offers checksums",
                "TusFaultTests.parts carry a checksum where the server offers one, and what arrives broken is sent again"
            ),
            conditional: .no("each upload gets a new place"),
            cancelled: .yes("yes", "TusConformanceTests.a discarded upload leaves nothing"), servers: "tuspyserver"),
        Row(
            driver: "webdav",
            resumes: .yes(
                "once the file has arrived", "WebDAVResumeTests.another worker only moves what has arrived"),
            parallel: .no(),
            verified: .yes(
                "its size, before the MOVE",
                "WebDAVFaultTests.a file that has not arrived whole is never moved into place, whatever PUT was answered"
            ),
            conditional: .yes("yes", "WebDAVConformanceTests.conditions hold"),
            cancelled: .yes("yes", "WebDAVResumeTests.a discarded upload leaves nothing, and a finished one stays"),
            servers: "nginx, Apache, WsgiDAV, rclone"),
    ]

    static var markdown: String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        return
            ([line(titles), line(titles.map { _ in "---" })]
            + rows.map { line(["`\($0.driver)`"] + $0.claims.map(\.text) + [$0.servers]) }).joined(separator: "\n")
    }
}

import Foundation
import Testing

@testable import UploadDestinations

struct S3EvidenceTests {
    /// The MD5 of "abc" (RFC 1321, section A.5).
    private static let abc = "900150983cd24fb0d6963f7d28e17f72"

    @Test(
        arguments: [
            ("\"\(abc)\"", nil, .proved), (abc.uppercased(), nil, .proved), ("\"\(abc)\"", .md5, .proved),
            ("\"\(abc)-1\"", nil, .nothing), ("\"\(abc)-1\"", .md5, .contradicted), ("\"5f\"", nil, .nothing),
            ("W/\"\(abc)\"", nil, .nothing), (nil, nil, .nothing), (nil, .md5, .contradicted),
            ("\"\(abc)\"", .opaque, .nothing), ("\"5f\"", .opaque, .nothing),
        ] as [(String?, S3Configuration.ETagMeaning?, S3Evidence)])
    func `an equal one proves, another is a failure only where ETags are MD5`(
        etag: String?, meaning: S3Configuration.ETagMeaning?, expected: S3Evidence
    ) {
        #expect(S3Evidence(etag, expected: Self.abc, meaning: meaning) == expected)
        #expect(S3Evidence(etag, expected: nil, meaning: meaning) == .nothing)
    }

    /// The value is the output of md5sum(1) for the bytes of both digests.
    @Test func `parts have the MD5 of their MD5, and their number`() {
        let empty = "d41d8cd98f00b204e9800998ecf8427e"
        #expect(S3Evidence.composite([Self.abc, "\"\(empty.uppercased())\""]) == "fdf1fdf1567f6942ffe1743f1e72301e-2")
        #expect(S3Evidence.composite([Self.abc, "5f"]) == nil)
        #expect(S3Evidence.composite([Self.abc, "+" + Self.abc.dropFirst()]) == nil)
    }

    @Test func `an ETag may be an MD5 or not`() {
        #expect(S3Evidence.md5("\"\(Self.abc.uppercased())\"") == Self.abc)
        for other in ["", "\"\"", "\(Self.abc)-2", String(Self.abc.dropLast()), "z" + Self.abc.dropFirst()] {
            #expect(S3Evidence.md5(other) == nil)
        }
    }
}

import Foundation
import NIOHTTP1
import Testing

@testable import UploadDestinations

/// The examples of the Amazon S3 API Reference: "Examples: Signature Calculations" and "Authenticating Requests: Using
/// Query Parameters".
@Suite struct SigningExampleTests {
    static let credentials = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    static let date = Date(timeIntervalSince1970: 1_369_353_600)
    static let host = "examplebucket.s3.amazonaws.com"

    let signer = SigV4Signer(region: "us-east-1")

    private func authorization(_ request: SignableRequest, _ payload: PayloadHash = .empty) -> String? {
        signer.sign(request, payload: payload, credentials: Self.credentials, at: Self.date)
            .first(name: "authorization")
    }

    private func expected(_ headers: String, _ signature: String) -> String {
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            + "SignedHeaders=\(headers), Signature=\(signature)"
    }

    @Test func `GET of an object's range`() {
        let request = SignableRequest(
            method: "GET", host: Self.host, path: "/test.txt", headers: ["Range": "bytes=0-9"])
        #expect(
            authorization(request)
                == expected(
                    "host;range;x-amz-content-sha256;x-amz-date",
                    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
    }

    @Test func `PUT of an object with a dollar sign in its key and a signed body`() {
        let request = SignableRequest(
            method: "PUT", host: Self.host, path: "/" + S3Encoding.path("test$file.text"),
            headers: ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"])
        #expect(
            authorization(request, .hash(of: "Welcome to Amazon S3.".utf8))
                == expected(
                    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
    }

    @Test func `GET of a bucket's life cycle`() {
        let request = SignableRequest(method: "GET", host: Self.host, path: "/", query: [.init("lifecycle")])
        #expect(
            authorization(request)
                == expected(
                    "host;x-amz-content-sha256;x-amz-date",
                    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))
    }

    @Test func `a list of objects`() {
        let request = SignableRequest(
            method: "GET", host: Self.host, path: "/", query: [.init("prefix", "J"), .init("max-keys", "2")])
        #expect(
            authorization(request)
                == expected(
                    "host;x-amz-content-sha256;x-amz-date",
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))
    }

    @Test func `a pre-signed URL`() {
        let request = SignableRequest(method: "GET", host: Self.host, path: "/test.txt")
        let query = signer.presign(request, expiresInSeconds: 86_400, credentials: Self.credentials, at: Self.date)
        #expect(
            query == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test func `what was signed before is replaced when a request is signed again`() {
        var request = SignableRequest(
            method: "GET", host: Self.host, path: "/test.txt", headers: ["Range": "bytes=0-9"])
        let first = authorization(request)
        let old = AWSCredentials(accessKeyID: "OLD", secretAccessKey: "old", sessionToken: "old")
        request.headers.add(
            contentsOf: signer.sign(request, payload: .unsigned, credentials: old, at: Self.date + 86_400))
        #expect(authorization(request) == first)
    }

    @Test func `signing keys of a few credentials and days are kept, and no more`() {
        let request = SignableRequest(method: "GET", host: Self.host, path: "/")
        for day in 1...50 {
            _ = signer.sign(
                request, payload: .empty, credentials: Self.credentials, at: Self.date + Double(day) * 86_400)
        }
        #expect((1...4).contains(signer.keys.count))
        #expect(
            authorization(SignableRequest(method: "GET", host: Self.host, path: "/", query: [.init("lifecycle")]))?
                .hasSuffix("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543") == true)
    }

    @Test(arguments: [
        ("a b+c%d", "a%20b%2Bc%25d"), ("//a//", "//a//"), ("ä/日本/🙂", "%C3%A4/%E6%97%A5%E6%9C%AC/%F0%9F%99%82"),
        ("!*'()&$@=;:?#,", "%21%2A%27%28%29%26%24%40%3D%3B%3A%3F%23%2C"), ("A-Z.a_z~0", "A-Z.a_z~0"), ("../.", "../."),
    ])
    func `a key is encoded for the path`(key: String, path: String) {
        #expect(S3Encoding.path(key) == path)
        #expect(S3Encoding.decode(path) == key)
    }

    @Test func `a query is sorted by encoded name and value and keeps the sign of an empty value`() {
        let query: [SignableRequest.Parameter] = [
            .init("b", "/ +"), .init("uploads"), .init("a", "2"), .init("a", "10"), .init("ä", "é"), .init("B", ""),
        ]
        #expect(S3Encoding.query(query) == "%C3%A4=%C3%A9&B=&a=10&a=2&b=%2F%20%2B&uploads=")
    }
}

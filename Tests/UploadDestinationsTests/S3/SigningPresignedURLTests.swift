import Foundation
import NIOHTTP1
import Testing

@testable import UploadDestinations

@Suite struct SigningPresignedURLTests {
    private let credentials = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        sessionToken: "token+/=")
    private let date = Date(timeIntervalSince1970: 1_369_353_600)

    private func url(
        host: String = "examplebucket.s3.amazonaws.com", scheme: String = "https", headers: HTTPHeaders = HTTPHeaders()
    ) -> String {
        let request = SignableRequest(
            method: "PUT", host: host, path: "/a%20b//c", query: [.init("partNumber", "1"), .init("uploadId", "x/y=")],
            headers: headers)
        let query = SigV4Signer(region: "eu-west-1").presign(
            request, expiresInSeconds: 900, credentials: credentials, at: date)
        return "\(scheme)://\(host)/a%20b//c?\(query)"
    }

    @Test func `what a URL says of its signature is understood`() throws {
        let url = try #require(PresignedURL(url(headers: ["Content-Type": "a/b", "User-Agent": "x"])))
        #expect(url.accessKeyID == "AKIAIOSFODNN7EXAMPLE")
        #expect(url.region == "eu-west-1")
        #expect(url.service == "s3")
        #expect(url.signedAt == date)
        #expect(url.expiresAt == date + 900)
        #expect(url.signedHeaders == ["content-type", "host"])
        #expect(!url.isExpired(at: date + 899))
        #expect(url.isExpired(at: date + 900))
    }

    @Test func `the credentials that signed it are known from others`() throws {
        let url = try #require(PresignedURL(url(headers: ["Content-Type": "a/b"])))
        let headers: HTTPHeaders = ["content-type": "a/b", "x-other": "z"]
        #expect(url.isSigned(by: credentials, method: "PUT", headers: headers))
        #expect(!url.isSigned(by: credentials, method: "GET", headers: headers))
        #expect(!url.isSigned(by: credentials, method: "PUT"), "a signed header is missing")
        #expect(!url.isSigned(by: credentials, method: "PUT", headers: ["content-type": "a/c"]))
        var other = credentials
        other.secretAccessKey = "other"
        #expect(!url.isSigned(by: other, method: "PUT", headers: headers))
        other = credentials
        other.accessKeyID = "other"
        #expect(!url.isSigned(by: other, method: "PUT", headers: headers))
    }

    @Test func `a port that goes without saying is not part of the signature`() throws {
        let signed = url(host: "s3.example")
        let spelled = signed.replacing("s3.example/", with: "s3.example:443/")
        #expect(try #require(PresignedURL(spelled)).isSigned(by: credentials, method: "PUT"))
        let other = url(host: "s3.example:8443")
        #expect(try #require(PresignedURL(other)).isSigned(by: credentials, method: "PUT"))
        #expect(try #require(PresignedURL(other + "#x")).isSigned(by: credentials, method: "PUT"))
    }

    @Test func `a changed query is not ours`() throws {
        let changed = url().replacing("partNumber=1", with: "partNumber=2")
        #expect(try !#require(PresignedURL(changed)).isSigned(by: credentials, method: "PUT"))
    }

    @Test func `a signed body digest is part of the signature`() throws {
        let hash = PayloadHash.hash(of: "body".utf8).text
        let url = try #require(PresignedURL(url(headers: ["x-amz-content-sha256": hash])))
        #expect(url.isSigned(by: credentials, method: "PUT", headers: ["x-amz-content-sha256": hash]))
        #expect(!url.isSigned(by: credentials, method: "PUT", headers: ["x-amz-content-sha256": "UNSIGNED-PAYLOAD"]))
    }

    @Test(arguments: [
        "", "https://s3.example", "https://s3.example/?a=b", "no url?X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "https://s3.example/?X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "https://s3.example/?X-Amz-Algorithm=GOOG4&X-Amz-Credential=a/b/c/d/e", "https:///?%",
        "https://s3.example/?%GG=1",
    ])
    func `what is not signed in this way is not taken for it`(text: String) {
        #expect(PresignedURL(text) == nil)
    }

    @Test(arguments: [
        ("X-Amz-Expires=900", "X-Amz-Expires=0"), ("X-Amz-Expires=900", "X-Amz-Expires=604801"),
        ("X-Amz-Expires=900", "X-Amz-Expires=soon"), ("X-Amz-Date=20130524T000000Z", "X-Amz-Date=20130525T000000Z"),
        ("X-Amz-Date=20130524T000000Z", "X-Amz-Date=20130524"), ("X-Amz-Signature=", "Signature="),
        ("%2Faws4_request", "%2Faws5_request"), ("X-Amz-SignedHeaders=", "Signed="), ("T000000Z", "T250000Z"),
    ])
    func `a signature that contradicts itself is none`(good: String, bad: String) {
        #expect(PresignedURL(url()) != nil)
        #expect(PresignedURL(url().replacing(good, with: bad)) == nil)
    }

    @Test func `it is never shown with its query`() throws {
        let url = try #require(PresignedURL(url().replacing("https://", with: "https://user:password@")))
        var dumped = ""
        dump(url, to: &dumped)
        for shown in ["\(url)", String(reflecting: url), dumped, "\(Optional(url) as Any)"] {
            #expect(shown.contains("https://examplebucket.s3.amazonaws.com/a%20b//c"))
            for secret in ["X-Amz", "password", "AKIA", "token"] { #expect(!shown.contains(secret)) }
        }
    }
}

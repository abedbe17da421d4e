import Testing
import Uploads

@testable import UploadDestinations

struct S3AddressTests {
    private func url(_ configuration: S3Configuration, key: String? = "a/b c", region: String = "eu-central-1") throws
        -> String
    {
        try S3Address(configuration).place(key: key, region: region).url
    }

    @Test(arguments: [
        (S3Configuration(bucket: "photos"), "https://photos.s3.eu-central-1.amazonaws.com/a/b%20c"),
        (S3Configuration(bucket: "my.photos"), "https://s3.eu-central-1.amazonaws.com/my.photos/a/b%20c"),
        (
            S3Configuration(bucket: "photos", addressing: .path),
            "https://s3.eu-central-1.amazonaws.com/photos/a/b%20c"
        ),
        (S3Configuration(endpoint: "http://127.0.0.1:9000", bucket: "photos"), "http://127.0.0.1:9000/photos/a/b%20c"),
        (S3Configuration(endpoint: "https://s3.example/", bucket: "photos"), "https://s3.example/photos/a/b%20c"),
        (S3Configuration(endpoint: "https://s3.example:443", bucket: "p"), "https://s3.example/p/a/b%20c"),
        (S3Configuration(endpoint: "http://s3.example:443", bucket: "p"), "http://s3.example:443/p/a/b%20c"),
        (S3Configuration(endpoint: "https://gw.example/s3/", bucket: "p"), "https://gw.example/s3/p/a/b%20c"),
        (
            S3Configuration(endpoint: "https://s3.example:9000", bucket: "photos", addressing: .virtual),
            "https://photos.s3.example:9000/a/b%20c"
        ),
        (S3Configuration(endpoint: "http://[::1]:9000", bucket: "p"), "http://[::1]:9000/p/a/b%20c"),
    ])
    func `the bucket stands where it belongs`(configuration: S3Configuration, expected: String) throws {
        #expect(try url(configuration) == expected)
    }

    @Test func `China has a domain of its own, and the bucket itself a path`() throws {
        let configuration = S3Configuration(bucket: "photos")
        #expect(try url(configuration, region: "cn-north-1") == "https://photos.s3.cn-north-1.amazonaws.com.cn/a/b%20c")
        #expect(try url(configuration, key: nil) == "https://photos.s3.eu-central-1.amazonaws.com/")
        #expect(try url(S3Configuration(endpoint: "http://h:1", bucket: "p"), key: nil) == "http://h:1/p")
    }

    @Test func `where a redirect leads, the bucket is named as the host names it`() throws {
        let address = try S3Address(S3Configuration(bucket: "photos"))
        #expect(
            address.place(key: "k", region: "us-east-1", host: "photos.s3-eu-west-1.amazonaws.com").url
                == "https://photos.s3-eu-west-1.amazonaws.com/k")
        #expect(address.allows("photos.s3-eu-west-1.amazonaws.com"))
        #expect(!address.allows("photos.attacker.example"))
        #expect(!address.allows("amazonaws.com.attacker.example"))
    }

    @Test(
        arguments: [
            (nil, true), ("https://s3.eu-central-1.amazonaws.com", true),
            ("https://b.vpce-1.s3.us-east-1.vpce.amazonaws.com:443", true),
            ("https://s3.cn-north-1.amazonaws.com.cn", true), ("https://s3.eusc-de-east-1.amazonaws.eu", true),
            ("https://S3.US-EAST-1.AMAZONAWS.COM:8443", true), ("https://amazonaws.com.example", false),
            ("https://b.s3express-use1-az4.us-east-1.amazonaws.com", true),
            ("http://ec2-1-2-3-4.compute.amazonaws.com:9000", false),
            ("https://rgw-1.eu-central-1.elb.amazonaws.com", false),
            ("https://notamazonaws.com", false), ("http://127.0.0.1:9000", false),
        ] as [(String?, Bool)])
    func `Amazon's own servers are known by their domain`(endpoint: String?, isAmazon: Bool) throws {
        #expect(try S3Address(S3Configuration(endpoint: endpoint, bucket: "p")).isAmazon == isAmazon)
    }

    @Test(arguments: ["s3.example", "ftp://s3.example", "https://", "https://h/?x=1", "https://user:pw@h/"])
    func `what is no endpoint is refused without showing a secret`(endpoint: String) throws {
        let error = #expect(throws: UploadError.self) {
            try S3Address(S3Configuration(endpoint: endpoint, bucket: "p"))
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("pw") == false)
    }
}

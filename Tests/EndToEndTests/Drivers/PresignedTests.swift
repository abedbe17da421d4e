import Foundation
import Testing
import UploadTesting

/// The programs with an endpoint that signs URLs (by boto3) for a foreign store.
@Suite(.timeLimit(.minutes(40))) struct PresignedTests {
    @Test func afterAKillAnotherWorkerAsksForAnotherURLAndNoneIsShown() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let python = try await TestProgram.python(with: "boto3")
        let signer = try EndpointServer { request in
            guard request.headers["authorization"] == "Bearer swordfish-1234" else { return .status(401) }
            guard request.path == "/sign" else { return .json(["told": true]) }
            let key = request.text("key") ?? ""
            let signed = try? Spawn.run(
                python,
                [
                    "-c", Self.sign, bucket.proxy.url, bucket.server.region, bucket.server.accessKey,
                    bucket.server.secretKey, bucket.name, key,
                ])
            let url = signed?.output.text.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            return .json(201, ["url": url, "id": "upload-1"])
        }
        let destination = """
            signed: {driver: presigned, url: '\(signer.url)/sign', bearerToken: swordfish-1234, \
            complete: {url: '\(signer.url)/done/{id}'}}
            """
        try await Deployment.with(destinations: [destination]) { deployment in
            let file = try deployment.makeFile("film.mp4", bytes: 12 << 20)
            let takeover = Takeover(deployment: deployment, proxy: bucket.proxy)
            _ = try await takeover.run(
                file, to: "signed:2026/film.mp4",
                rule: { $0.method == "PUT" ? .stallRequest(afterBytes: 2 << 20) : .forward },
                killWhen: "a part of the file has passed"
            ) { $0.contains { $0.method == "PUT" && $0.bodyBytes >= 2 << 20 } }
            try takeover.expect(try await bucket.observer.get(bucket.name, "2026/film.mp4"), like: file)
            #expect(signer.requests.count { $0.path == "/sign" } == 2)
            #expect(signer.requests.last?.path == "/done/upload-1")
            let shown = try String(contentsOf: deployment.events, encoding: .utf8)
            #expect(!shown.contains("X-Amz-Signature") && !shown.contains("swordfish"))
        }
    }

    /// Prints a URL for a PUT.
    private static let sign = """
        import boto3, sys
        from botocore.config import Config
        endpoint, region, key, secret, bucket, name = sys.argv[1:]
        s3 = boto3.client("s3", endpoint_url=endpoint, region_name=region, aws_access_key_id=key,
            aws_secret_access_key=secret, config=Config(signature_version="s3v4", s3={"addressing_style": "path"}))
        print(s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": name}, ExpiresIn=60))
        """
}

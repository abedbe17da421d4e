import Foundation
import UploadDestinations
import Uploads

extension UploadConfiguration {
    /// The driver of a bucket. Keys that lie in files are read again when the files change.
    /// - Throws: `configuration` when a secret is not there or the endpoint is no URL.
    func destination(
        _ name: DestinationName, _ s3: S3Settings, limits: TransferLimits, _ clients: HTTPClients
    ) throws(ProgramError) -> S3Destination {
        let base = "destinations.\(name)"
        var bucket = s3.configuration
        bucket.limits = limits
        if let secret = s3.customerKey {
            let place = settings.place("\(base).customerKey")
            let text = try secret.resolve(environment, key: place)
            guard let key = Data(base64Encoded: text), key.count == 32 else {
                throw ProgramError(.configuration, "\(place): expected 32 bytes in base64")
            }
            bucket.object.encryption = .customer(key: key)
        }
        if bucket.endpoint == nil {
            bucket.region = bucket.region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        }
        let provider = try credentials(of: name, s3, region: bucket.region, clients)
        let client = try clients.client(s3.route)
        do throws(UploadError) {
            return try S3Destination(
                bucket, credentials: provider, client: client, connections: clients.connections(s3.route))
        } catch {
            throw ProgramError(.configuration, "\(settings.place("\(base).endpoint")): \(error.message)")
        }
    }
}

extension UploadConfiguration {
    private func credentials(
        of name: DestinationName, _ s3: S3Settings, region: String?, _ clients: HTTPClients
    ) throws(ProgramError) -> any AWSCredentialsProvider {
        guard let id = s3.accessKeyID, let secret = s3.secretAccessKey else {
            // Metadata services are not asked through a proxy.
            let client = try clients.client()
            guard let profile = s3.profile else {
                return CredentialsChain.aws(environment: environment, region: region, client: client)
            }
            let chosen = environment.merging(["AWS_PROFILE": profile]) { $1 }
            return CredentialsChain([ProfileCredentials(environment: chosen, region: region, client: client)])
        }
        let base = "destinations.\(name)"
        let read: @Sendable () throws(ProgramError) -> AWSCredentials = {
            [settings, environment] () throws(ProgramError) -> AWSCredentials in
            func resolve(_ secret: Secret, _ key: String) throws(ProgramError) -> String {
                try secret.resolve(environment, key: settings.place("\(base).\(key)"))
            }
            let token: String? = if let token = s3.sessionToken { try resolve(token, "sessionToken") } else { nil }
            return AWSCredentials(
                accessKeyID: try resolve(id, "accessKeyId"),
                secretAccessKey: try resolve(secret, "secretAccessKey"), sessionToken: token)
        }
        // What is not there at the start is a mistake; what vanishes later may come back.
        _ = try read()
        return ReferencedCredentials(place: "\(base).accessKeyId") { () throws(UploadError) in
            do throws(ProgramError) {
                return try read()
            } catch {
                throw UploadError(.misconfigured, error.description, retry: .afterBackoff)
            }
        }
    }
}

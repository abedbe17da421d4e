import Uploads

/// The meaning of S3's error codes (Amazon S3 API Reference, "Error responses", and the codes that other servers add).
enum S3ErrorTable {
    /// Codes of requests that come too fast.
    static let throttling: Set = [
        "SlowDown", "SlowDownRead", "SlowDownWrite", "ServiceUnavailable", "ServiceBusy", "Throttling",
        "ThrottlingException", "TooManyRequests", "TooManyRequestsException", "RequestLimitExceeded",
        "BandwidthLimitExceeded",
    ]

    static func meaning(_ code: String) -> StatusMeaning? {
        switch code {
        case _ where throttling.contains(code):
            (.rateLimited, "it asks for fewer requests; this worker slows down", .afterBackoff)
        case "InternalError", "InternalServerError", "NotReady", "ServerNotInitialized", "XMinioServerNotInitialized":
            (.serverFailure, "it failed at its side; look at the server", .afterBackoff)
        case "RequestTimeout", "IncompleteBody":
            (.networkFailure, "it did not get the whole body in time; check the network", .afterBackoff)
        default: credentials(code) ?? place(code) ?? integrity(code) ?? refusal(code)
        }
    }

    private static func credentials(_ code: String) -> StatusMeaning? {
        switch code {
        case "InvalidAccessKeyId":
            (.wrongCredentials, "it does not know the access key; correct the destination's accessKeyId", .never)
        case "SignatureDoesNotMatch", "InvalidSignature":
            (
                .wrongCredentials,
                "the signature is wrong; correct the destination's secretAccessKey, or look for a proxy that changes requests",
                .never
            )
        case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired":
            (.wrongCredentials, "the session token has expired; provide new credentials", .afterBackoff)
        case "InvalidToken":
            (.wrongCredentials, "the session token is wrong; correct the destination's sessionToken", .never)
        case "RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture":
            (.misconfigured, "the clocks differ too much; set the clock of this host or of the server", .afterBackoff)
        case "AccessDenied", "AllAccessDisabled", "AccountProblem", "NotSignedUp", "InvalidPayer":
            (
                .accessDenied, "the credentials are not good for this; check the policy of the user and the bucket",
                .never
            )
        case "CrossLocationLoggingProhibited", "InvalidSecurity":
            (.accessDenied, "it refuses the credentials; check them", .never)
        case "MissingSecurityHeader", "MissingAuthenticationToken":
            (.notAuthenticated, "it wants credentials; add accessKeyId and secretAccessKey", .never)
        case "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError":
            (.misconfigured, "it expects another region; correct the destination's region", .afterBackoff)
        case _ where code.hasPrefix("KMS."):
            (.misconfigured, "the KMS key cannot be used; check kmsKeyId and its policy", .afterBackoff)
        default: nil
        }
    }

    private static func place(_ code: String) -> StatusMeaning? {
        switch code {
        case "NoSuchBucket":
            (.destinationAway, "there is no such bucket; create it or correct the destination's bucket", .afterBackoff)
        case "InvalidBucketName", "InvalidLocationConstraint", "InvalidEndpoint":
            (.misconfigured, "the bucket's name or place is wrong; correct bucket, region and endpoint", .afterBackoff)
        case "PermanentRedirect", "TemporaryRedirect", "Redirect":
            (.misconfigured, "the bucket is elsewhere; correct the destination's region or endpoint", .afterBackoff)
        case "NoSuchUpload":
            (.sessionExpired, "the multipart upload is gone; it is begun anew", .afterBackoff)
        case "NoSuchKey", "NoSuchVersion":
            (.destinationNotFound, "there is no such object; check the key", .never)
        case "PreconditionFailed":
            (.preconditionFailed, "the object there is not as expected", .never)
        case "ConditionalRequestConflict", "OperationAborted":
            (.serverFailure, "another client writes there at the same time; it is tried again", .afterBackoff)
        case "MethodNotAllowed", "NotImplemented":
            (
                .rejected, "the server does not support this; leave out the setting that needs it in the destination",
                .never
            )
        default: nil
        }
    }

    private static func integrity(_ code: String) -> StatusMeaning? {
        switch code {
        case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch":
            (.checksumMismatch, "the bytes that arrived are not the sent ones; they are sent again", .afterBackoff)
        case "InvalidPart", "InvalidPartOrder":
            (.invalidResponse, "it does not hold the parts that it listed; they are looked at again", .afterBackoff)
        case "EntityTooSmall":
            (
                .invalidResponse,
                "a part is smaller than it takes; parts are looked at again (or raise the destination's partSize)",
                .afterBackoff
            )
        default: nil
        }
    }

    private static func refusal(_ code: String) -> StatusMeaning? {
        switch code {
        case "EntityTooLarge", "MaxMessageLengthExceeded":
            (.rejected, "it is too large for the server; use larger or smaller parts, or another destination", .never)
        case "QuotaExceeded", "InsufficientCapacity", "XMinioStorageFull", "StorageFull":
            (.noSpace, "it has no space left; free some there", .afterBackoff)
        case "InvalidStorageClass":
            (.rejected, "it does not know the storage class; correct storageClass", .never)
        case "InvalidTag": (.rejected, "it refuses the tags; correct them", .never)
        case "MetadataTooLarge": (.rejected, "the metadata is too large; give less", .never)
        case "KeyTooLongError", "KeyTooLong": (.rejected, "the key is too long for it; use a shorter one", .never)
        case "InvalidEncryptionAlgorithmError", "InvalidEncryptionMethod",
            "ServerSideEncryptionConfigurationNotFoundError":
            (.rejected, "it refuses the encryption; correct the destination's encryption", .never)
        case "InvalidRetentionPeriod", "ObjectLockConfigurationNotFoundError", "InvalidObjectState":
            (.rejected, "it refuses the object lock; check that the bucket has it", .never)
        case "AccessControlListNotSupported":
            (.rejected, "the bucket takes no ACL; leave acl out of the destination", .never)
        case "InvalidDigest":
            (
                .rejected, "it does not understand the checksum; set the destination's checksum to another or to none",
                .never
            )
        default: nil
        }
    }
}

extension S3Failure {
    /// The error for an answer. The error code has precedence over the status, which some servers choose freely.
    /// - Parameter place: the URL of the request, without its query.
    func error(at place: String) -> UploadError {
        let (code, remedy, retry) = S3ErrorTable.meaning(self.code) ?? byStatus
        let said = self.code.isEmpty ? "" : " \(self.code)"
        let detail = message.isEmpty ? beginning : " (it says: \(message))"
        let request = requestID.map { " [request \($0)]" } ?? ""
        return UploadError(
            code, "\(operation) \(place) was answered \(status)\(said): \(remedy)\(detail)\(request)",
            retry: retry.waiting(retryAfter), response: response)
    }

    private var byStatus: StatusMeaning {
        switch status {
        case 300, 304: HTTPAnswer.redirection(status, "")
        case 300..<400:
            (.misconfigured, "the bucket is elsewhere; correct the destination's region or endpoint", .afterBackoff)
        case 401: (.notAuthenticated, "it wants credentials; check the destination's keys", .never)
        case 403: (.accessDenied, "the credentials are not good for this; check keys and policy", .never)
        case 404: (.destinationNotFound, "there is no such place; check endpoint and bucket", .never)
        case 405, 501: (.rejected, "the server does not have this; check that the endpoint speaks S3", .never)
        case 407: (.misconfigured, "a proxy wants credentials; check the proxy", .never)
        case 408: (.networkFailure, "it waited too long for the body; check the network", .afterBackoff)
        case 409: (.serverFailure, "another client writes there at the same time; it is tried again", .afterBackoff)
        case 412: (.preconditionFailed, "the object there is not as expected", .never)
        case 413: (.rejected, "it is too large for the server; use smaller parts, or another destination", .never)
        case 429, 503: (.rateLimited, "it asks for fewer requests; this worker slows down", .afterBackoff)
        case 400..<500:
            (.rejected, "it refuses the request; correct the value that it names in job or destination", .never)
        case 507: (.noSpace, "it has no space left; free some there", .afterBackoff)
        case 500..<600: (.serverFailure, "it failed at its side; look at the server", .afterBackoff)
        default: (.invalidResponse, "that is no answer of S3; check the endpoint", .afterBackoff)
        }
    }
}

import Uploads

/// The URL of the security token service.
struct STSEndpoint: Sendable {
    let url: String?

    /// `AWS_ENDPOINT_URL_STS`, or the endpoint of a region: `AWS_REGION`, `AWS_DEFAULT_REGION`, or the given one.
    init(_ environment: [String: String], region: String?) {
        if let given = environment.given("AWS_ENDPOINT_URL_STS") {
            url = given.hasSuffix("/") ? given : given + "/"
            return
        }
        let region = environment.given("AWS_REGION") ?? environment.given("AWS_DEFAULT_REGION") ?? region
        // The region becomes part of a host name, so only the characters of regions are allowed.
        guard let region, !region.isEmpty, region.utf8.allSatisfy(Self.isRegionByte) else {
            url = nil
            return
        }
        url = "https://sts.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")/"
    }

    private static func isRegionByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
    }
}

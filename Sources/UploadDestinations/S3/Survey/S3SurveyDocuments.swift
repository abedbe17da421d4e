import Uploads

// Documents that only a survey reads (Amazon S3 API Reference).

/// The answer to GetBucketLifecycleConfiguration, with the rules for unfinished uploads.
struct S3LifecycleRules: S3Document, Sendable {
    static let root = "LifecycleConfiguration"

    struct Rule: Decodable, Sendable {
        struct Abortion: Decodable, Sendable {
            var days: Int?

            private enum CodingKeys: String, CodingKey { case days = "DaysAfterInitiation" }
        }

        struct Filter: Decodable, Sendable {
            var prefix: String?
            var and: And?

            struct And: Decodable, Sendable {
                var prefix: String?

                private enum CodingKeys: String, CodingKey { case prefix = "Prefix" }
            }

            private enum CodingKeys: String, CodingKey {
                case prefix = "Prefix"
                case and = "And"
            }
        }

        var status: String?
        /// The prefix in rules of the older format.
        var prefix: String?
        var filter: Filter?
        var abortion: Abortion?

        private enum CodingKeys: String, CodingKey {
            case status = "Status"
            case prefix = "Prefix"
            case filter = "Filter"
            case abortion = "AbortIncompleteMultipartUpload"
        }

        /// The days after which the rule aborts the unfinished uploads of every key with this prefix; nil where it does not.
        func days(for prefix: String) -> Int? {
            guard status == "Enabled", let days = abortion?.days else { return nil }
            return prefix.hasPrefix(filter?.and?.prefix ?? filter?.prefix ?? self.prefix ?? "") ? days : nil
        }
    }

    var rules: [Rule]?

    private enum CodingKeys: String, CodingKey { case rules = "Rule" }
}

/// The answer to GetObjectLockConfiguration.
struct S3ObjectLock: S3Document, Sendable {
    static let root = "ObjectLockConfiguration"

    var enabled: String?

    private enum CodingKeys: String, CodingKey { case enabled = "ObjectLockEnabled" }
}

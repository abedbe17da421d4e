extension API {
    /// Why a request failed, and what to do: problem details (RFC 9457).
    public struct Problem: Codable, Hashable, Sendable {
        /// `urn:longshore:problem:` and one word of a fixed list.
        @Tolerant public var type: String
        @Tolerant public var title: String
        /// The HTTP status of the answer.
        @Tolerant public var status: Int
        /// The fault and its place, and what to do.
        public var detail: String
        /// Jobs or dead letters that match, where these are too many.
        public var matched: Int?
        /// Outcomes that wait for a delegate that was to be removed.
        public var backlog: Int?
        /// The faults of single fields of the body; nil where the fault is in none.
        public var errors: [FieldError]?

        public init(
            type: String, title: String, status: Int, detail: String, matched: Int? = nil, backlog: Int? = nil,
            errors: [FieldError]? = nil
        ) {
            self.type = type
            self.title = title
            self.status = status
            self.detail = detail
            self.matched = matched
            self.backlog = backlog
            self.errors = errors
        }
    }

    /// The fault of one field of a body (RFC 9457, section 3).
    public struct FieldError: Codable, Hashable, Sendable {
        /// A JSON pointer as a URI fragment, such as `#/url`.
        public var pointer: String
        public var detail: String

        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }
}

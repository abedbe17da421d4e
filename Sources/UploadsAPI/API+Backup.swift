extension API {
    /// The copy of the ledger that a request made.
    public struct Backup: Codable, Hashable, Sendable {
        @Tolerant public var path: String
        /// Bytes of the copy.
        @Tolerant public var size: Int64
        /// How long it took.
        @Tolerant public var seconds: Double

        public init(path: String, size: Int64, seconds: Double) {
            self.path = path
            self.size = size
            self.seconds = seconds
        }
    }
}

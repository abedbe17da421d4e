/// What the protocol leaves open, bounded.
enum ResumableLimits {
    /// How often one part may be answered without a byte more at the server.
    static let standstillsMaximum = 3
    /// Versions that are tried before the server is taken for one that has none of them.
    static let versionsMaximum = ResumableInterop.allCases.count
}

/// What the protocols leave open, bounded.
enum TicketLimits {
    /// Longest URL of a ticket, in bytes.
    static let urlBytesMaximum = 8192
    /// Longest id of an upload, in bytes: it has to fit a state.
    static let idBytesMaximum = 1024
    /// Most headers that a ticket may ask for, and most bytes of one value.
    static let headersMaximum = 64
    static let headerBytesMaximum = 8192
}

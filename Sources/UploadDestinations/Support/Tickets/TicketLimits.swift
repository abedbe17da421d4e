/// Limits of the drivers with tickets, where the protocols set none.
enum TicketLimits {
    /// Longest URL of a ticket, in bytes.
    static let urlBytesMaximum = 8192
    /// Longest id of an upload, in bytes: the state has to hold it.
    static let idBytesMaximum = 1024
    /// The most headers that a ticket may ask for, and most bytes of one value.
    static let headersMaximum = 64
    static let headerBytesMaximum = 8192
}

/// Limits that keep answers and memory small.
enum WebDAVLimits {
    /// The most bytes of a list of properties: 10,000 escaped names of 255 bytes, with the requested properties of
    /// each.
    static let listBytesMaximum = 16 << 20
    /// The most folders that a worker remembers to exist.
    static let foldersMaximum = 10_000
    /// The most levels of folders below the destination's own.
    static let depthMaximum = 64
}

/// What keeps answers and memory small.
enum WebDAVLimits {
    /// Bytes of a list of properties that are read: 10,000 names of 255 bytes, escaped, with what is asked of each.
    static let listBytesMaximum = 16 << 20
    /// Folders that a worker remembers to be there.
    static let foldersMaximum = 10_000
    /// Folders within folders below the destination's own.
    static let depthMaximum = 64
}

import Uploads

extension UploadState {
    /// The size of every part but the last in bytes, as drivers that split files write it; nil for a number that no
    /// driver writes. A state comes with a message, so it may have any number, and sessions calculate with it.
    var partBytes: Int64? {
        guard let bytes = payload["partBytes"]?.integer, (1...WireLimits.sizeMaximum).contains(bytes) else {
            return nil
        }
        return bytes
    }
}

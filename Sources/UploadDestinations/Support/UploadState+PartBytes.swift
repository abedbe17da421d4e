import Uploads

extension UploadState {
    /// The bytes of every part but the last, as drivers that cut files write them; nil for a number that no driver writes. A state comes
    /// with a message, so that any number may stand there, and sessions count with this one.
    var partBytes: Int64? {
        guard let bytes = payload["partBytes"]?.integer, (1...WireLimits.sizeMaximum).contains(bytes) else {
            return nil
        }
        return bytes
    }
}

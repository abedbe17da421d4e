import Uploads

extension TransferSession {
    /// Where a file comes from and where it goes: of a download the two change places.
    /// - Parameter copy: the path of the queue's own copy of it, if there is one.
    func ends(of file: File, copy: String?) -> (content: UploadContent, destination: DestinationReference) {
        let own = DestinationReference.named(account.destination, key: file.path)
        return switch (direction, file.other) {
        case (.download, let other?): (.object(own), other)
        case (.upload, let object?): (.object(object), own)
        case (_, nil): (.file(copy ?? ""), own)
        }
    }
}

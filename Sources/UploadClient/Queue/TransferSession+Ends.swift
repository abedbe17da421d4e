import Uploads

extension TransferSession {
    /// The source and the target of a file. For a download, the account's destination is the source.
    /// - Parameter copy: the path of the queue's own copy of the file, if there is one.
    func ends(of file: File, copy: String?) -> (content: UploadContent, destination: DestinationReference) {
        let own = DestinationReference.named(account.destination, key: file.path)
        return switch (direction, file.other) {
        case (.download, let other?): (.object(own), other)
        case (.upload, let object?): (.object(object), own)
        case (_, nil): (.file(copy ?? ""), own)
        }
    }
}

import Uploads

/// The state in a message: enough for a person to find the unfinished upload. The driver finds the upload by the job's id and trusts only
/// the record beside it.
struct DirectoryState {
    let partName: String
    let partBytes: Int64

    var state: UploadState {
        UploadState(
            driver: DirectoryDestination.driverName,
            payload: ["file": .string(partName), "partBytes": .integer(partBytes)])
    }
}

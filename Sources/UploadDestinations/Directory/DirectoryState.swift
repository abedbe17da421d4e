import Uploads

/// What travels: enough for a person to find the unfinished upload. A driver finds it by the job's id and trusts only the
/// record that lies beside it.
struct DirectoryState {
    let partName: String
    let partBytes: Int64

    var state: UploadState {
        UploadState(
            driver: DirectoryDestination.driverName,
            payload: ["file": .string(partName), "partBytes": .integer(partBytes)])
    }
}

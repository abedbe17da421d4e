/// Gets every outcome of its identifier's uploads, at least once under one id, in order for each upload, whether or not
/// a handle has returned it.
public protocol UploadDelegate: Sendable {
    /// Reports that an upload ended. Returning acknowledges the outcome: it is not delivered again, unless the process
    /// dies in that moment. After an error it is delivered again, some seconds later.
    func uploadDidEnd(_ outcome: UploadOutcome) async throws
}

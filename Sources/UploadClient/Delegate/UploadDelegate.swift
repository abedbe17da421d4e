/// Is told of every outcome of its identifier's uploads, at least once under one id, in order for each upload, whether or not a
/// handle has given it.
public protocol UploadDelegate: Sendable {
    /// An upload ended. Returning acknowledges it: it is not told again, unless the process dies in that moment. Throwing does
    /// not: it is told again after a while.
    func uploadDidEnd(_ outcome: UploadOutcome) async throws
}

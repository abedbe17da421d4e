public import Foundation

/// What a handler returns for a delivery: the whole protocol between a slice and the queue. Nobody holds an
/// acknowledgement, so forgetting to settle does not compile.
///
/// - `ended`: the end is published and confirmed, the staged copy removed where the outcome allows, the delivery
///   acknowledged.
/// - `handOver`: the next slice's baton is published to `continued` and confirmed; not an attempt.
/// - `altered`: a hand-over of the job as it is now that its source was found, or its place was taken: from now on that is what is
///   carried, or where it goes.
/// - `wait`: the next slice's baton goes to the ladder; an attempt only if the reason is `retry`.
/// - `superseded`: a higher generation counts; acknowledged, nothing else touched.
/// - `abandoned`: the connection that delivered it is gone, so there is nothing left to settle: the broker delivers it
///   again, and it becomes a suspect.
public enum Settlement: Hashable, Sendable {
    case ended(Outcome)
    case handOver(UploadState?)
    case altered(UploadJob)
    case wait(until: Date, reason: WaitReason, state: UploadState?)
    case superseded
    case abandoned
}

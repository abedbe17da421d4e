public import Foundation

/// How a slice ends: the whole protocol between a handler and the queue. The handler must return a settlement and holds
/// no acknowledgement, so forgetting to settle does not compile.
///
/// - `ended`: the end is published and confirmed, the staged copy removed where the outcome allows, the delivery
///   acknowledged.
/// - `handOver`: the next slice's baton is published to `continued` and confirmed; not an attempt.
/// - `altered`: a hand-over of a changed job, because its source object was looked at or its name at the destination
///   was taken. Later slices carry the changed job.
/// - `wait`: the next slice's baton goes to the ladder; an attempt only if the reason is `retry`.
/// - `superseded`: a higher generation counts; acknowledged, nothing else touched.
/// - `abandoned`: the connection that delivered it is gone, so there is nothing left to settle: the broker delivers it
///   again, and it becomes a suspect.
public indirect enum Settlement: Hashable, Sendable {
    case ended(Outcome)
    case handOver(UploadState?)
    case altered(UploadJob)
    case wait(until: Date, reason: WaitReason, state: UploadState?)
    case superseded
    case abandoned
}

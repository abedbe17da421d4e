/// What a job queue calls: the engine.
public protocol JobHandler: Sendable {
    /// Carries the baton for one slice. Called once per delivery, for several at once; never throws, never forgets.
    func handle(_ claimed: any ClaimedBaton) async -> SettledSlice

    /// The end of the job's round is confirmed; removes its staged copy. The delivery is acknowledged when this returns.
    func removeStagedCopy(of job: UploadJob) async
}

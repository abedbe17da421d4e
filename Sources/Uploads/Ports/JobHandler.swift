/// What a job queue calls: the engine.
public protocol JobHandler: Sendable {
    /// Takes note of a delivery: called for one after the other of a lane, in the order of delivery, and returns at once. So
    /// whoever has few slots can begin what came first.
    /// - Returns: what carries the baton for one slice. Called once for every delivery, for several at once.
    func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice

    /// Carries the baton for one slice. Called once per delivery, for several at once; never throws, never forgets.
    func handle(_ claimed: any ClaimedBaton) async -> SettledSlice

    /// The end of the job's round is confirmed; removes its staged copy. The delivery is acknowledged when this returns.
    func removeStagedCopy(of job: UploadJob) async
}

extension JobHandler {
    public func accept(_ claimed: any ClaimedBaton) -> @Sendable () async -> SettledSlice {
        { await self.handle(claimed) }
    }
}

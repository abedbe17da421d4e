extension SettlementPlan {
    /// One thing that a settlement does.
    public enum Step: Hashable, Sendable {
        case handOn(Onward)
        case tell(UploadEvent)
        case removeStagedCopy
        /// Only where the delivery is still held.
        case acknowledge
    }

    /// Rule 6: ends. The plan in its order: the steps of one stage run side by side, and all are confirmed before the
    /// next stage begins. If one cannot be confirmed, the plan stops: the broker delivers the baton again, and it
    /// becomes a suspect.
    public var stages: [[Step]] {
        guard acknowledges else { return [] }
        let publications = [onward.map(Step.handOn), event.map(Step.tell)].compactMap { $0 }
        return [publications, removesStagedCopy ? [.removeStagedCopy] : [], [.acknowledge]].filter { !$0.isEmpty }
    }
}

extension SettlementPlan {
    /// One thing that a settlement does.
    public enum Step: Hashable, Sendable {
        case handOn(Onward)
        case tell(UploadEvent)
        case removeStagedCopy
        /// Only where the delivery is still held.
        case acknowledge
    }

    /// The plan in its order: what stands in one stage is done side by side, and all of it is confirmed before the next
    /// begins. What cannot be confirmed ends it: the broker delivers again, and it becomes a suspect.
    public var stages: [[Step]] {
        guard acknowledges else { return [] }
        let publications = [onward.map(Step.handOn), event.map(Step.tell)].compactMap { $0 }
        return [publications, removesStagedCopy ? [.removeStagedCopy] : [], [.acknowledge]].filter { !$0.isEmpty }
    }
}

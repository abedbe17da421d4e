// Jobs that must not replace an object that the destination already has.
extension SliceMachine {
    /// Whether every write is made on the condition that the key has no object, whatever a probe saw: the destination
    /// decides.
    var keepsExisting: Bool { baton.job.ifExists != .replace }

    /// Ends the job because the key has an object that is not its own; nil if no such object is known.
    mutating func endExisting(_ answer: ProbeAnswer, for purpose: Purpose) -> [SliceAction]? {
        guard keepsExisting, purpose != .cancel, !answer.hasBeside(where: isBroken) else { return nil }
        switch answer {
        case .other(let object, _): return endKeeping(object, for: purpose)
        case .partial(let found, beside: let object?):
            state = found
            return endKeeping(object, for: purpose)
        case .unknowable where purpose.isFailedCondition:
            // The destination cannot say whose object it is: an attempt of this job whose answer was lost may have
            // stored it.
            return endKeeping(StoredObject(location: baton.job.destination.displayText), for: purpose, mayBeOwn: true)
        case .partial, .complete, .nothing, .unknowable: return nil
        }
    }

    private mutating func endKeeping(
        _ object: StoredObject, for purpose: Purpose, mayBeOwn: Bool = false
    ) -> [SliceAction] {
        // A paused job decides nothing.
        if purpose == .heldBefore, isPaused, let paused = earlySettlement { return settle(paused) }
        if baton.job.ifExists == .skip {
            var object = object
            object.isKept = true
            return end(.completed(object, response: nil))
        }
        if baton.job.ifExists == .rename, let job = baton.job.renamed { return goBeside(job) }
        let doubt = mayBeOwn ? " (an attempt of this job whose answer was lost may have stored it)" : ""
        return failForGood(
            UploadError(
                .preconditionFailed,
                "\(baton.job.destination.displayText) already lies there\(doubt): remove it and run the job again, use another "
                    + "key, or enqueue the file with --if-exists replace"))
    }
}

extension SliceMachine {
    /// Renames the job, so that the next slice tries the next name. A session that was begun at this name is removed
    /// first.
    private mutating func goBeside(_ job: UploadJob) -> [SliceAction] {
        guard let state else { return settle(.altered(job)) }
        return check(then: .discard(state, .settle(.altered(job), otherwise: .altered(job))))
    }
}

extension SliceMachine.Purpose {
    /// Whether the destination refused a write because of the object under the key.
    fileprivate var isFailedCondition: Bool {
        switch self {
        case .doubtfulCompletion(let error), .conditionFailed(let error), .beforeFailing(let error):
            error.code == .preconditionFailed
        case .heldBefore, .sourceGone, .sessionGone, .storedOtherwise, .readBackFailed, .cancel: false
        }
    }
}

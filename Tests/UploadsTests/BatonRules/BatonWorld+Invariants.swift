import Uploads

/// What must hold in every world.
extension BatonWorld {
    /// What is wrong with this world, in a sentence; nil if nothing is.
    func violation(after step: BatonStep) -> String? {
        for (index, kinds) in told.enumerated() where kinds.nonzeroBitCount > 1 {
            return "round \(index + 1) was published with more than one outcome"
        }
        if let action = step.published, case .outcome(let event) = book.owed[action], event.kind == .completed,
            !hasObject
        {
            return "completed was published, and the destination holds nothing"
        }
        // A later round may have begun, whose object is no violation of the first one.
        if hasObject, told == [EventKind.cancelled.bit], book.facts(ofJobIn: notifier.ledger)?.round == 1 {
            return "cancelled was published, and the object is there"
        }
        if let held = workers[0].held, let other = workers[1].held, case .working = held.phase,
            case .working = other.phase,
            book.facts(ofBaton: held.baton).generation == book.facts(ofBaton: other.baton).generation,
            // A copy may be removed twice.
            !book.facts(ofBaton: held.baton).onlyRemovesCopy
        {
            return "two workers work on one generation"
        }
        if madeOfUnsealed { return "an object was made of a copy that had no seal" }
        // Without a lock, a worker that does not know yet that it was cut off sends the same parts as its successor.
        if partsResent > (locks ? disturbances : disturbances * Self.partCount) {
            return "\(partsResent) parts were sent again after \(disturbances) disturbances"
        }
        return nil
    }

    /// What is wrong with a world in which nothing is left to be done.
    func violationAtRest() -> String? {
        guard let job = book.facts(ofJobIn: notifier.ledger) else { return "the ledger has never heard of the job" }
        if job.end == nil {
            if job.waitsInLine, !hasTurn { return lane.isEmpty ? nil : "a job that waits in line has a baton" }
            if lane.isEmpty { return "the job is gone: no end is recorded, and no lane or worker holds its baton" }
            if !job.isPaused { return "the job rests on the ladder, and no operator paused it" }
            return nil
        }
        if told.count < job.round || told[job.round - 1] == 0 { return "an end is recorded, and was not published" }
        if !lane.isEmpty { return "a baton rests on the ladder though the round has ended" }
        let left = sessions.count(where: \.isOpen)
        // The sweep or the bucket removes what a crash, a lost confirm or a refusal has left; nothing else may be left.
        if left > disturbances { return "\(left) sessions are left after \(disturbances) disturbances" }
        // Whatever crashes, the copy of a job that was cancelled in its line goes, unless the broker drops the baton that removes it.
        if disturbances == orders || (!hasTurn && !hasLost), isStaged, hasCopy, job.end == .cancelled {
            return "a cancelled job's copy is left"
        }
        if disturbances == 0, isStaged, hasCopy, job.end != .failed { return "the staged copy is left" }
        // Without another disturbance the job fails because of it.
        if disturbances == 1, copy == .abandoned { return "an incomplete copy is left" }
        return nil
    }
}

import Foundation

// Reads a finished object back before the upload counts as completed.
extension SliceMachine {
    /// The completing call has made the object.
    mutating func completed(_ upload: CompletedUpload) -> [SliceAction] {
        guard baton.job.verify else { return settle(.ended(.completed(upload.object, response: upload.response))) }
        state = nil
        readBack = ReadBack(of: upload.object)
        unverified = upload
        return check(then: .readBack)
    }

    /// The destination holds the job's object.
    mutating func verify(_ upload: CompletedUpload, for purpose: Purpose) -> [SliceAction] {
        if let former = baton.state?.readBack, !former.isBroken, former.bytes > 0, !former.isAbout(upload.object) {
            // An earlier slice has read another object: reading begins again, which is a failed attempt.
            readBack = nil
            return giveUpOrRetry(keepsBeingWritten, isResolved: true)
        }
        if case .readBackFailed(let error) = purpose {
            guard readBack?.isAbout(upload.object) == false, rereadings < rules.completionsMaximum else {
                readBack = ReadBack(of: upload.object)
                return breakDown(error)
            }
            // Another program has replaced the object since the job made it: the new object counts.
            rereadings += 1
        }
        if readBack?.isAbout(upload.object) != true { readBack = ReadBack(of: upload.object) }
        unverified = upload
        return hasSource || isSourceGone ? check(then: .readBack) : claim()
    }

    mutating func beginReadBack() -> [SliceAction] {
        if let early = earlySettlement { return settle(early) }
        guard let readBack else { return settle(.handOver(state)) }
        phase = .readingBack
        return [.readBack(readBack)]
    }

    mutating func readBackAnswered(_ fact: SliceFact) -> [SliceAction] {
        switch fact {
        case .readBackReached(let reached):
            readBack = reached
            hasCompared = true
            return stopReadingBack()
        case .readBackMatched:
            guard var upload = unverified else { return settle(.handOver(state)) }
            upload.object.verified = .readBack
            return end(.completed(upload.object, response: upload.response))
        case .failed(let error):
            switch error.code {
            case .checksumMismatch: return check(then: .probe(.readBackFailed(error)))
            case .destinationNotFound, .preconditionFailed:
                return check(then: .probe(.readBackFailed(changedSince(error))))
            default: return giveUpOrRetry(error, isResolved: true)
            }
        default: return []
        }
    }

    /// Stops reading if the slice must end; the state says how far it came. However short the slice, it compares at
    /// least one block.
    mutating func stopReadingBack() -> [SliceAction] {
        if let early = earlySettlement { return settle(early) }
        return isSliceTimeUp && hasCompared ? settle(.handOver(state)) : []
    }

    /// The object under the key is no longer the job's own: the next attempt uploads again.
    mutating func uploadAgain(after error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        if case .unknowable = answer { return breakDown(error) }
        readBack = nil
        note(answer)
        return giveUpOrRetry(error, isResolved: true)
    }

    /// The job's own object is broken: the next attempt replaces it, and no probe takes it for a success.
    mutating func breakDown(_ error: UploadError) -> [SliceAction] {
        if let object = readBack?.object { readBack = ReadBack(of: object, isBroken: true) }
        guard let state else { return giveUpOrRetry(error, isResolved: true) }
        self.state = nil
        let next = settlement(after: error)
        self.state = state
        return check(then: .discard(state, .settle(next, otherwise: next)))
    }

    /// The destination answered with another checksum: the next attempt replaces this job's object.
    mutating func storedOtherwise(_ error: UploadError, seeing answer: ProbeAnswer) -> [SliceAction] {
        switch answer {
        case .complete(let upload): readBack = ReadBack(of: upload.object)
        case .partial(let found, beside: _):
            state = found
            readBack = nil
        case .other, .nothing: readBack = nil
        // The destination cannot be probed, so every object that is found there later counts as the broken one.
        case .unknowable: readBack = ReadBack(of: StoredObject(location: baton.job.destination.redacted.displayText))
        }
        return breakDown(error)
    }

    /// The destination's answer, corrected by what reading back has found out.
    func known(_ answer: ProbeAnswer, for purpose: Purpose) -> ProbeAnswer {
        switch answer {
        case .complete(let upload) where purpose.isStoredOtherwise: return .complete(upload)
        case .complete(let upload) where isBroken(upload.object):
            return state.map { .partial($0, beside: upload.object) } ?? .other(upload.object, isNewer: false)
        case .complete(let upload) where upload.isUnproved && canSendAgain(for: purpose):
            return .other(upload.object, isNewer: false)
        // A flawed object is neither a success nor unfinished: it stays, and the job ends as cancelled.
        case .complete(let upload) where upload.flaw != nil && purpose == .cancel:
            return .other(upload.object, isNewer: false)
        // An earlier slice began to read the object back, so it was made, and nothing says that it is gone.
        case .unknowable where purpose.comesBack:
            return begun.map { .complete(CompletedUpload($0)) } ?? answer
        case .other(let object, isNewer: false) where purpose.comesBack && readBack?.isAbout(object) == true:
            return begun.map { .complete(CompletedUpload($0)) } ?? answer
        default: return answer
        }
    }

    /// Whether an unproved object can be sent again after this probe. After any other probe the job's own object is its
    /// success.
    private func canSendAgain(for purpose: Purpose) -> Bool {
        switch purpose {
        case .heldBefore: !isExpired
        case .conditionFailed: true
        default: false
        }
    }

    /// Whether an earlier slice was to read back an object that was made, so that the whole upload begins anew where it
    /// is not found. That counts also before the first block was read: a destination that is never ready to be read,
    /// and forgets the object meanwhile, would otherwise be sent the file again and again without an attempt.
    var isReadBackLost: Bool { readBack.map { !$0.isBroken } ?? false }

    /// The object that a slice began to read.
    private var begun: StoredObject? { readBack.flatMap { $0.isBroken ? nil : $0.object } }

    /// Whether this is the job's own object, read back and found to be wrong.
    func isBroken(_ object: StoredObject) -> Bool {
        guard let readBack else { return false }
        return readBack.isBroken && readBack.isAbout(object)
    }

    /// The session's state, with the place up to which the object was read back.
    func stamped(_ state: UploadState?) -> UploadState? {
        guard let readBack else { return state }
        let driver = destination?.driver ?? baton.state?.driver ?? ""
        var stamped = state ?? UploadState(driver: driver, payload: [:])
        stamped.readBack = readBack
        return stamped
    }

    func stamped(_ settlement: Settlement) -> Settlement {
        switch settlement {
        case .handOver(let state): .handOver(stamped(marked(state)))
        case .wait(let until, let reason, let state) where !reason.countsAsAttempt:
            .wait(until: until, reason: reason, state: stamped(marked(state)))
        case .wait(let until, let reason, let state): .wait(until: until, reason: reason, state: stamped(state))
        case .ended(.failed(let error, let state)): .ended(.failed(error, state: stamped(state)))
        case .ended, .altered, .superseded, .abandoned: settlement
        }
    }

    /// Keeps the mark (`bytesMissing`) of an earlier slice until a failed attempt, whatever ends the slices in between.
    private func marked(_ state: UploadState?) -> UploadState? {
        guard var state, let former = baton.state?.bytesMissing, state.bytesMissing == nil else { return state }
        state.bytesMissing = former
        return state
    }

    private var keepsBeingWritten: UploadError {
        UploadError(
            .checksumMismatch,
            "\(baton.job.destination.displayText) was written again while it was read back: it is read from its beginning; look for "
                + "another program that writes to it",
            retry: .afterBackoff)
    }

    func changedSince(_ error: UploadError?) -> UploadError {
        UploadError(
            .checksumMismatch,
            "\(baton.job.destination.displayText) was not there any more when it was to be read back: it is uploaded again",
            cause: error, response: error?.response)
    }
}

extension SliceMachine.Purpose {
    fileprivate var isStoredOtherwise: Bool { if case .storedOtherwise = self { true } else { false } }

    /// Whether a slice probes because it goes on where an earlier one stopped.
    fileprivate var comesBack: Bool { self == .heldBefore || self == .sourceGone }
}

extension UploadError {
    /// Whether the destination took all bytes and then answered with another checksum.
    var saysStoredOtherwise: Bool {
        code == .checksumMismatch && response.map { (200..<300).contains($0.status) } ?? false
    }
}

extension ProbeAnswer {
    /// Whether the name has another object, which fulfils the condition.
    func hasBeside(where isOne: (StoredObject) -> Bool) -> Bool {
        switch self {
        case .other(let object, _), .partial(_, beside: let object?): isOne(object)
        case .partial(_, beside: nil), .complete, .nothing, .unknowable: false
        }
    }
}

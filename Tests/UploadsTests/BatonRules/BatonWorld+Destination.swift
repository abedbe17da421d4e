import Uploads

/// The destination: an object, and sessions of two parts for a staged job. It carries out each request at once; only
/// answers are lost.
extension BatonWorld {
    private static let object = StoredObject(location: "/there", etag: "e1", size: 10)

    mutating func atDestination(_ action: SliceAction, by worker: Int) -> SliceFact {
        switch action {
        case .probe(let state): return .probed(probe(state))
        case .open(let state, let condition): return open(state, condition, by: worker)
        case .sendPart(let part): return send(part, by: worker)
        case .complete(let condition): return complete(condition, by: worker)
        case .discard(let state):
            if let session = number(of: state) { sessions[session - 1] = Session(isOpen: false) }
            return .discarded
        default: return .failed(UploadError(.unknown, "not a step at a destination"))
        }
    }

    private func probe(_ state: UploadState?) -> ProbeAnswer {
        if mutation == .neverProbes { return state.map { .partial($0, beside: nil) } ?? .nothing }
        if hasObject { return .complete(CompletedUpload(Self.object)) }
        if let state, let session = number(of: state), sessions[session - 1].isOpen {
            return .partial(state, beside: nil)
        }
        return .nothing
    }

    private mutating func open(_ state: UploadState?, _ condition: WriteCondition, by worker: Int) -> SliceFact {
        guard isStaged else {
            workers[worker].held?.writesIfAbsent = condition == .absent
            return .opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 1))
        }
        guard let state else {
            sessions.append(Session())
            return .opened(
                SessionFacts(
                    state: name(sessions.count), partCount: Self.partCount, missingCount: Self.partCount,
                    bytesMissing: Int64(Self.partCount)))
        }
        guard let session = number(of: state), sessions[session - 1].isOpen else {
            return .failed(UploadError(.sessionExpired, "no such session: open another"))
        }
        workers[worker].held?.session = session
        let missing = Self.partCount - sessions[session - 1].parts.nonzeroBitCount
        return .opened(
            SessionFacts(state: state, partCount: Self.partCount, missingCount: missing, bytesMissing: Int64(missing)))
    }

    private mutating func send(_ part: Int, by worker: Int) -> SliceFact {
        guard isStaged else {
            if hasObject, workers[worker].held?.writesIfAbsent == true {
                return .partFailed(part, UploadError(.preconditionFailed, "something lies there: look"))
            }
            if hasObject { partsResent += 1 }
            hasObject = true
            return .partAccepted(part, nil)
        }
        guard let session = workers[worker].held?.session, session > 0, sessions[session - 1].isOpen else {
            return .partFailed(part, UploadError(.sessionExpired, "no such session: open another"))
        }
        if let missing = missingInCopy(of: sessions[session - 1]) {
            if missing == .none {
                return .partFailed(part, UploadError(.sourceIncomplete, "the producer is dead: enqueue it again"))
            }
            workers[worker].held?.awaited = missing
            return .partNotCopied(part)
        }
        // The first missing part: the worker that opened the session saw the same one, unless another worker uses the
        // session as well.
        let held = sessions[session - 1].parts
        let missing = (0..<Self.partCount).filter { held & 1 << $0 == 0 }
        if let first = missing.first { sessions[session - 1].parts |= 1 << first } else { partsResent += 1 }
        return .partAccepted(part, nil)
    }

    /// What the session's next part waits for: the last part is in the copy only with the seal. nil for a part that is there, `none` for one
    /// that never will be.
    private func missingInCopy(of session: Session) -> Parcel.Wait? {
        let isLast = session.parts.nonzeroBitCount == Self.partCount - 1
        if isLast, mutation == .needsNoSeal { return nil }
        return switch copy {
        case .growing(0): .firstPart
        case .growing: isLast ? .seal : nil
        case .abandoned: !isLast ? nil : mutation == .waitsForTheDead ? .dead : Parcel.Wait.none
        case .sealed, .removed: nil
        }
    }

    private mutating func complete(_ condition: WriteCondition, by worker: Int) -> SliceFact {
        guard isStaged else { return .completed(CompletedUpload(Self.object)) }
        // The source is checked first, so that an upload whose copy was removed is not completed.
        guard hasCopy || mutation == .locksNothing else {
            return .failed(UploadError(.invalidFile, "the staged copy is gone: enqueue the file again"))
        }
        guard let session = workers[worker].held?.session, session > 0, sessions[session - 1].isOpen else {
            return .failed(UploadError(.sessionExpired, "no such session: open another"))
        }
        if hasObject, condition == .absent {
            return .failed(UploadError(.preconditionFailed, "something lies there: look"))
        }
        hasObject = true
        if copy != .sealed { madeOfUnsealed = true }
        sessions[session - 1] = Session(isOpen: false)
        return .completed(CompletedUpload(Self.object))
    }

    private func name(_ session: Int) -> UploadState {
        UploadState(driver: "model", payload: .integer(Int64(session)))
    }

    private func number(of state: UploadState) -> Int? {
        guard case .integer(let number) = state.payload, number >= 1, number <= sessions.count else { return nil }
        return Int(number)
    }
}

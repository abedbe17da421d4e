extension UploadJob {
    /// Whether size and source are known. What lies at a destination is looked at by the first worker that takes the job.
    public var isExamined: Bool { if case .object(_, seen: nil) = source { false } else { true } }

    /// The same, of an object as it was found.
    /// - Parameters:
    ///   - object: with its size.
    ///   - contentType: what the object says of itself; taken where the job names none, and of a length that a job may carry.
    public func examined(as object: StoredObject, contentType: String? = nil) -> UploadJob {
        guard case .object(let reference, _) = source else { return self }
        var job = self
        job.source = .object(reference, seen: object)
        job.size = object.size ?? 0
        job.digests = object.digests
        if let contentType, self.contentType == ContentType.unknown,
            contentType.unicodeScalars.count <= WireLimits.nameLengthMaximum
        {
            job.contentType = contentType
        }
        return job
    }

    /// The same as it was enqueued: whoever takes it next looks again.
    var unexamined: UploadJob {
        guard case .object(let reference, seen: _?) = source else { return self }
        var job = self
        job.source = .object(reference, seen: nil)
        job.size = 0
        job.digests = Digests()
        return job
    }

    /// The same with what workers found out, as another form of it says: what the object is that it carries, unless that is known, and
    /// the place where it goes once its own was taken.
    public func known(like other: UploadJob) -> UploadJob {
        let placed = placed(like: other)
        guard !isExamined, case .object(_, let seen?) = other.source else { return placed }
        return placed.examined(as: seen, contentType: other.contentType)
    }
}

extension UploadJob {
    /// Whether size and source are known. The first worker that takes a job looks at its source object.
    public var isExamined: Bool { if case .object(_, seen: nil) = source { false } else { true } }

    /// The job with the facts about its source object.
    /// - Parameters:
    ///   - object: with its size.
    ///   - contentType: the object's own; taken if the job names none and it has a length that a job may carry.
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

    /// The job as it was enqueued: the next worker looks at the source object again.
    var unexamined: UploadJob {
        guard case .object(let reference, seen: _?) = source else { return self }
        var job = self
        job.source = .object(reference, seen: nil)
        job.size = 0
        job.digests = Digests()
        return job
    }

    /// Whether ``known(like:)`` finds nothing new in the other form of the job.
    func knows(_ other: UploadJob) -> Bool {
        other.renamedFrom == nil && isExamined && (digests.crc64nvme != nil || other.digests.crc64nvme == nil)
    }

    /// The job with what workers found out, taken from another form of it: the facts about the source object and the
    /// checksum of the bytes, unless they are known, and the new name once its own was taken.
    public func known(like other: UploadJob) -> UploadJob {
        var placed = placed(like: other)
        guard !isExamined else {
            placed.digests.crc64nvme = placed.digests.crc64nvme ?? other.digests.crc64nvme
            return placed
        }
        guard case .object(_, let seen?) = other.source else { return placed }
        return placed.examined(as: seen, contentType: other.contentType)
    }
}

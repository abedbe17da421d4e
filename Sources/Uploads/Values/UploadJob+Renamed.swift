extension UploadJob {
    /// How many numbers are tried behind a name, before the end of the job's id, which no other job has.
    static let renamingCountMaximum = 8

    /// The job under the next name beside its own: `cat-1.jpg`, `cat-2.jpg` … for `cat.jpg`, and after eight of them
    /// one with the end of the job's id. Each name follows from the one before, so that a repeated step finds the same.
    /// - Returns: nil when there are no more, the name would be longer than a message may carry, or the destination is
    ///   a URL that is a credential.
    public var renamed: UploadJob? {
        guard destination == destination.redacted else { return nil }
        let original = renamedFrom ?? destination
        let suffixes = (1...Self.renamingCountMaximum).map(String.init) + [String(id.rawValue.suffix(12))]
        let places = suffixes.map { original.appending("-\($0)") }
        let next = renamedFrom == nil ? 0 : (places.firstIndex(of: destination) ?? places.count) + 1
        guard next < places.count, places[next].isShort else { return nil }
        var job = self
        job.renamedFrom = original
        job.destination = places[next]
        return job
    }

    /// The job under the name that another form of it goes to, if that one was renamed.
    func placed(like other: UploadJob) -> UploadJob {
        guard other.renamedFrom != nil else { return self }
        var job = self
        job.destination = other.destination
        job.renamedFrom = other.renamedFrom
        return job
    }
}

extension DestinationReference {
    /// Whether it is short enough for every reader.
    fileprivate var isShort: Bool {
        switch self {
        case .named(_, let text), .url(let text): text.unicodeScalars.count <= WireLimits.pathLengthMaximum
        }
    }

    /// The reference with a suffix behind the stem of its last component.
    fileprivate func appending(_ suffix: String) -> DestinationReference {
        func renamed(_ path: String) -> String {
            let file = FileName(path: path)
            // The dot stays with the extension, even with an empty one.
            return String(Substring(path.utf8.dropLast(file.name.utf8.count))) + file.stem + suffix
                + file.name.dropping(bytes: file.stem.utf8.count)
        }
        switch self {
        case .named(let name, let key): return .named(name, key: renamed(key))
        case .url(let url): return .url(renamed(url))
        }
    }
}

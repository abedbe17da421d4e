extension UploadJob {
    /// Numbers that are tried behind a name before one follows that nobody else has.
    static let renamingCountMaximum = 8

    /// The same for the next place beside where it was to go: `cat-1.jpg`, `cat-2.jpg` … for `cat.jpg`, and after eight of them one with
    /// the end of the job's id. Each follows from the one before, so that a repeated step finds the same.
    /// - Returns: nil when there are no more, the place's name would be longer than a message may carry, or the destination is a URL that is
    ///   a credential.
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

    /// The same at the place where another form of it goes by now: one whose place was taken goes on to the next.
    func placed(like other: UploadJob) -> UploadJob {
        guard other.renamedFrom != nil else { return self }
        var job = self
        job.destination = other.destination
        job.renamedFrom = other.renamedFrom
        return job
    }
}

extension DestinationReference {
    /// Whether every reader takes it.
    fileprivate var isShort: Bool {
        switch self {
        case .named(_, let text), .url(let text): text.unicodeScalars.count <= WireLimits.pathLengthMaximum
        }
    }

    /// With a suffix behind the stem of its last component.
    fileprivate func appending(_ suffix: String) -> DestinationReference {
        func renamed(_ path: String) -> String {
            let file = FileName(path: path)
            // The dot goes with what follows it, also where nothing does.
            return String(Substring(path.utf8.dropLast(file.name.utf8.count))) + file.stem + suffix
                + file.name.dropping(bytes: file.stem.utf8.count)
        }
        switch self {
        case .named(let name, let key): return .named(name, key: renamed(key))
        case .url(let url): return .url(renamed(url))
        }
    }
}

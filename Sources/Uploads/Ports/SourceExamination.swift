/// What came of looking at the object that a job is to carry.
public enum SourceExamination: Hashable, Sendable {
    /// The job with what was found: from now on that is what it carries.
    case found(UploadJob)
    /// Nothing lies there.
    case gone
    /// This worker does not know the destination that it lies at (yet): wait, not an attempt.
    case unknownOrigin(String)
}

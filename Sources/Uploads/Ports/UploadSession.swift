/// An upload under way at a destination. `upload` may run for several parts at once; the rest is called alone.
public protocol UploadSession: Sendable {
    /// What another worker needs to go on; nil where nothing remains of an unfinished upload.
    var state: UploadState? { get }
    var plan: PartPlan { get }
    /// The parts that the destination does not hold, verified by it or by the driver, in the order to send them.
    var missing: [Part] { get }

    /// Bytes that the destination keeps of the file: by them a slice sees whether the one before it brought anything. They may be more than
    /// what is not `missing`, where a part has to be compared before it counts as held.
    var bytesHeld: Int64 { get }

    /// Tells the condition of the completing write as far as it is known, before the first part is sent: where the one part is
    /// the object (a single PUT), there is no later step that could carry it. Others wait for `complete`.
    func prepare(for condition: WriteCondition)

    /// Compares the parts that the destination holds with what is known of the source, before `missing` is read: a part that does
    /// not fit is missing. Called once after a session was taken up.
    func verify(against source: any UploadSource) async throws(UploadError)

    /// Sends one part from the source. Repeating it is safe.
    /// - Parameter sent: told the bytes of each piece that left, for progress; cheap, callable from anywhere.
    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError)

    /// Makes the object of the parts and checks that it is what the job says, under a condition where the destination
    /// can. Repeating it is safe.
    /// - Throws: `preconditionFailed` when the condition does not hold: probe again; `checksumMismatch`.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload

    /// Lets go of local resources (file descriptors, connections); what the destination holds stays.
    func close() async
}

extension UploadSession {
    public var bytesHeld: Int64 { plan.size - missing.reduce(0) { $0 + $1.size } }

    public func prepare(for condition: WriteCondition) {}

    public func verify(against source: any UploadSource) async throws(UploadError) {}
}

/// Which deliveries a listing shows, the newest first.
public struct DeliveryListing: Hashable, Sendable {
    /// Most deliveries of one page.
    public static let limitMaximum = 1000

    public var delegate: String?
    public var job: JobID?
    public var status: DeliveryRecord.Status?
    /// Only those before this one: for the next page.
    public var before: DelegateDelivery.ID?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        delegate: String? = nil, job: JobID? = nil, status: DeliveryRecord.Status? = nil,
        before: DelegateDelivery.ID? = nil, limit: Int = 100
    ) {
        self.delegate = delegate
        self.job = job
        self.status = status
        self.before = before
        self.limit = min(max(1, limit), Self.limitMaximum)
    }
}

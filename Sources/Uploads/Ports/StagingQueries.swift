/// The ledger's face to the clean-up of staging areas.
public protocol StagingQueries: Sendable {
    /// The jobs that name staged copies of an area, by the copies' names, for those among `names`. A job whose row cannot be read
    /// is answered as one that has not ended, so that its copy stays.
    func jobs(naming names: Set<String>, inArea area: String) async throws(UploadError) -> [String: [LedgerJob]]
}

import Foundation
import Uploads

/// Who gives tickets: the protocol of one driver, without the PUT, which all have in common.
protocol TicketSource: Sendable {
    /// The driver's word in ``UploadState/driver``.
    var driver: String { get }
    /// What it is called in errors.
    var displayURL: String { get }
    /// Whether the PUT carries `Content-MD5`.
    var sendsContentMD5: Bool { get }
    /// Whether a digest goes with the request for a ticket.
    var needsMD5: Bool { get }
    /// Whether upload ids come back.
    var namesUploads: Bool { get }

    /// Refuses what would be refused anyway, before anything is sent.
    func check(_ job: UploadJob) throws(UploadError)

    /// Asks for a ticket.
    /// - Parameter md5: 16 bytes, where it is needed.
    func request(_ job: UploadJob, md5: Data?) async throws(UploadError) -> UploadTicket

    /// Tells that the bytes are there; safe to repeat.
    /// - Returns: nil where there is no such call.
    func complete(_ id: String?, of job: UploadJob) async throws(UploadError) -> TicketVerdict?

    /// - Returns: nil where that cannot be asked.
    func verdict(of id: String?, _ job: UploadJob) async throws(UploadError) -> TicketVerdict?

    /// Where the object is, as it may be shown.
    func location(_ sent: TicketState) -> String
}

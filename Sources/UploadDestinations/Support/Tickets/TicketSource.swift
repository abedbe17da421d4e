import Foundation
import Uploads

/// The protocol by which one driver gets and completes tickets. The PUT itself is the same for all drivers.
protocol TicketSource: Sendable {
    /// The driver's name in ``UploadState/driver``.
    var driver: String { get }
    /// The name of the source in errors.
    var displayURL: String { get }
    /// Whether the PUT carries `Content-MD5`.
    var sendsContentMD5: Bool { get }
    /// Whether the request for a ticket carries a digest.
    var needsMD5: Bool { get }
    /// Whether tickets carry an upload id.
    var namesUploads: Bool { get }

    /// Refuses a job that the server would refuse anyway, before anything is sent.
    func check(_ job: UploadJob) throws(UploadError)

    /// Asks for a ticket.
    /// - Parameter md5: 16 bytes; nil if ``needsMD5`` and ``sendsContentMD5`` are false.
    func request(_ job: UploadJob, md5: Data?) async throws(UploadError) -> UploadTicket

    /// Reports that the bytes are there; safe to repeat.
    /// - Returns: nil where there is no such call.
    func complete(_ id: String?, of job: UploadJob) async throws(UploadError) -> TicketVerdict?

    /// - Returns: nil where the server has no such call.
    func verdict(of id: String?, _ job: UploadJob) async throws(UploadError) -> TicketVerdict?

    /// The object's URL as it may be shown.
    func location(_ sent: TicketState) -> String
}

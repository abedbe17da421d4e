import Uploads

/// What the command line, or a line of a manifest over it, says of uploads besides where they come from and go.
struct UploadWishes: Hashable, Codable, Sendable {
    var metadata: [String: String] = [:]
    var properties = ObjectProperties()
    var ifExists = IfExists.replace
    var verify = false
    var schedule = EnqueueSchedule()
    var batch: String?
    var idempotencyKey: String?
}

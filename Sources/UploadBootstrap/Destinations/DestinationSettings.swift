import Foundation
import Uploads

/// A destination of the configuration: its driver's settings, and those that every destination has.
struct DestinationSettings: Sendable {
    var name: DestinationName
    var driver: any DriverSettings
    var limits: TransferLimits
    /// Whether jobs may read from it.
    var isSource: Bool
    /// Whether the SHA-256 of its files is computed when they are enqueued: asked for, or needed by a template.
    var needsSHA256: Bool
    /// For jobs that bring no retry policy; nil: the usual one.
    var retry: RetryPolicy?
    /// Seconds that its jobs wait for it before they fail; nil: the usual time.
    var patience: TimeInterval?

    /// - Throws: `configuration` for a key that is missing or belongs to another driver.
    init(_ name: String, _ settings: Settings) throws(ProgramError) {
        let section = SettingsSection("destinations.\(name)", settings)
        self.name = DestinationName(unchecked: name)
        let word = try section.owner(by: "driver")
        limits = TransferLimits(
            jobs: section.integer("limits.jobs"), parts: section.integer("limits.parts"),
            bytesPerSecond: section.bytes("limits.bytesPerSecond"),
            requestsPerSecond: section.integer("limits.requestsPerSecond"))
        isSource = section.isTrue("source")
        needsSHA256 =
            section.list("digests").contains("sha256")
            || settings.values.contains { path, setting in
                path.hasPrefix("destinations.\(name).") && setting.value.items.contains { $0.contains("{sha256}") }
            }
        retry = Self.retry(section.section("retry"))
        patience = section.seconds("patience")
        guard let type = DestinationDrivers.all.first(where: { $0.driverName == word }) else {
            throw section.problem("driver", "'\(word)': expected \(DestinationDrivers.names.joined(separator: ", "))")
        }
        driver = try type.init(section)
    }

    /// nil unless at least one of the keys is there; the others have their usual values.
    private static func retry(_ section: SettingsSection) -> RetryPolicy? {
        guard ["maxAttempts", "maxAge", "base", "cap"].contains(where: section.has) else { return nil }
        let usual = RetryPolicy()
        return RetryPolicy(
            maxAttempts: section.integer("maxAttempts") ?? usual.maxAttempts,
            maxAge: section.seconds("maxAge") ?? usual.maxAge, base: section.seconds("base") ?? usual.base,
            cap: section.seconds("cap") ?? usual.cap)
    }
}

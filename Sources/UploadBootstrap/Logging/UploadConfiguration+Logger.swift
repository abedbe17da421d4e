import Foundation
public import Logging
import OpenTelemetry

extension UploadConfiguration {
    /// A logger with the level and format of the configuration.
    public func logger(_ label: String) -> Logger {
        let level = Logger.Level(rawValue: logLevel) ?? .info
        let format = LogFormat(
            logFormat, environment,
            standardError: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2"))
        // One for all copies of the logger, so that they count together.
        var handler = StandardErrorLogHandler(level: level, format: format).endingWithProgram()
        handler.metadataProvider = Telemetry.logMetadata
        return Logger(label: label) { [handler] _ in handler }
    }
}

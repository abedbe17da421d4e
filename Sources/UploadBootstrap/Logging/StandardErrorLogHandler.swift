import Foundation
public import Logging
import Uploads

/// Writes log lines to standard error, each with one write.
public struct StandardErrorLogHandler: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let format: LogFormat
    private let write: @Sendable (String) -> Void
    private let troubles: TroubleLog

    public init(
        level: Logger.Level, format: LogFormat, write: @escaping @Sendable (String) -> Void = Console.error(line:)
    ) {
        logLevel = level
        self.format = format
        self.write = write
        troubles = TroubleLog { trouble, series in
            var metadata = trouble.things.mapValues { Logger.MetadataValue.string($0) }
            metadata.merge(Self.facts(series)) { $1 }
            metadata["last"] = .string(WireJSON.timestamp(series.last))
            write(Self.line(format, at: Date(), trouble.level, "no more since: \(trouble.message)", metadata))
        }
    }

    /// Tells the ends of series also when the program ends.
    func endingWithProgram() -> Self {
        troubles.endWithProgram()
        return self
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadataProvider?.get() ?? [:]
        all.merge(metadata) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        let (now, message) = (Date(), event.message.description)
        if event.level >= .warning {
            guard let series = troubles.take(RepeatedTroubles.Trouble(event.level, message, all), at: now) else {
                return
            }
            if series.count > 1 { all.merge(Self.facts(series)) { $1 } }
        }
        write(Self.line(format, at: now, event.level, message, all))
    }

    private static func facts(_ series: RepeatedTroubles.Series) -> Logger.Metadata {
        ["times": .stringConvertible(series.count), "since": .string(WireJSON.timestamp(series.since))]
    }

    static func line(
        _ format: LogFormat, at time: Date, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata
    ) -> String {
        let time = WireJSON.timestamp(time)
        switch format {
        case .text, .journal:
            let pairs = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(quoted($0.value.description))" }
            let begin = format == .journal ? "<\(priority(of: level))>" : "\(time) "
            return PlainText.escaped("\(begin)\(level) \(oneLine(message))\(pairs.joined())")
        case .json:
            let object: JSONValue = .object([
                "time": .string(time), "level": .string(level.rawValue), "message": .string(message),
                "metadata": .object(metadata.mapValues(json)),
            ])
            return (try? WireJSON.encode(object)).map { PlainText.escaped(String(decoding: $0, as: UTF8.self)) } ?? ""
        }
    }

    /// The number of syslog(3).
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func json(_ value: Logger.MetadataValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value):
            if let integer = value as? Int { .integer(Int64(integer)) } else { .string(value.description) }
        case .dictionary(let dictionary): .object(dictionary.mapValues(json))
        case .array(let array): .array(array.map(json))
        }
    }

    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text == oneLine(text)
            && !text.unicodeScalars.contains { $0.properties.isWhitespace || $0 == "\"" || $0 == "=" }
        return isPlain ? text : "\"\(oneLine(text).replacing(exactly: "\"", with: "\\\""))\""
    }

    /// The text without line ends and other control characters, so that a peer's text cannot start a log line of its own.
    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}

/// Where a value came from.
public enum Origin: Hashable, Sendable, CustomStringConvertible {
    case commandLine(flag: String)
    case environment(variable: String)
    /// The line counts from 1.
    case file(path: String, line: Int)
    case standard

    public var description: String {
        switch self {
        case .commandLine(let flag): "command line \(flag)"
        case .environment(let variable): "environment \(variable)"
        case .file(let path, let line): "\(path):\(line)"
        case .standard: "default"
        }
    }
}

import Uploads

/// What the one executable is called to be: `longshore` is installed under the names of four programs, and `longshore worker` is
/// `upload-worker` as well.
public enum ProgramCall: Equatable, Sendable {
    /// - Parameter skipped: how many of the process's arguments, with the one that names the executable, come before the program's own.
    case program(ProgramName, skipped: Int)
    case help
    case version
    /// The executable is called `longshore`, and its first argument names no program; nil without an argument.
    case unknown(String?)

    /// - Parameter arguments: all arguments of the process; the first one names the executable, with or without its directory.
    public init(_ arguments: [String]) {
        let name = arguments.first?.split(separator: "/").last.map(String.init)
        if let program = name.flatMap(ProgramName.init(rawValue:)) {
            self = .program(program, skipped: 1)
            return
        }
        guard let word = arguments.dropFirst().first else {
            self = .unknown(nil)
            return
        }
        if let program = ProgramName.allCases.first(where: { [$0.rawValue, $0.word].contains(word) }) {
            self = .program(program, skipped: 2)
        } else if ["--help", "-h", "help"].contains(word) {
            self = .help
        } else {
            self = word == "--version" ? .version : .unknown(word)
        }
    }

    /// The error of a call that names no program; nil for other calls.
    public var problem: ProgramError? {
        guard case .unknown(let word) = self else { return nil }
        let choices = ProgramName.allCases.map(\.word).joined(separator: ", ")
        let see = "see longshore --help"
        guard let word else { return ProgramError(.usage, "no program is named: expected \(choices); \(see)") }
        // Another argument than a word may hold a secret.
        guard word.allSatisfy({ $0.isLetter || $0 == "-" }), !word.hasPrefix("-") else {
            return ProgramError(.usage, "the first argument names the program: expected \(choices); \(see)")
        }
        let nearest = EditDistance.nearest(to: word, among: ProgramName.allCases.flatMap { [$0.word, $0.rawValue] })
        return ProgramError(
            .usage, "there is no program '\(word)'\(nearest.map { "; did you mean '\($0)'?" } ?? ""); \(see)")
    }
}

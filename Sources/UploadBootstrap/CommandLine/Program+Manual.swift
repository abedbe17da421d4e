import ArgumentParser
import Foundation
import Uploads

extension Program {
    private static let manualFlag = "--generate-manual"

    /// Writes the program's manual pages and ends, if the arguments are `--generate-manual DIR`.
    /// - Parameter appendices: the ends of the `--help` texts by the command's name; under an empty name, the program's own.
    static func writeManual<Command: ParsableArguments>(
        of command: Command.Type, name: String, _ arguments: [String], appendices: [String: String]
    ) {
        guard arguments.first == manualFlag else { return }
        guard arguments.count == 2 else {
            Console.error(line: "\(name): \(manualFlag) needs a directory, and nothing else")
            exit(ExitCode.usage.rawValue)
        }
        do {
            let dump = try WireJSON.decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
            for page in ManualPage.all(of: dump.command, appendices: appendices, date: manualDate) {
                let file = URL(filePath: arguments[1]).appending(path: page.fileName)
                try Data(page.text.utf8).write(to: file)
            }
            exit(ExitCode.done.rawValue)
        } catch {
            Console.error(
                line: "\(name): the manual cannot be written into \(arguments[1]): \(error.localizedDescription)")
            exit(ExitCode.inputOutput.rawValue)
        }
    }

    /// The present day, or that of SOURCE_DATE_EPOCH, with which packages are built again byte by byte.
    private static var manualDate: Date {
        let seconds = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap { Int64($0) }
        guard let seconds, (0...253_402_300_799).contains(seconds) else { return Date() }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}

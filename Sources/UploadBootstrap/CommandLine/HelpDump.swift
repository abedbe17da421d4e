/// A program's help as ArgumentParser writes it for other tools: the fields that a manual page shows.
struct HelpDump: Decodable {
    struct Command: Decodable {
        var superCommands: [String]?
        var commandName: String
        var abstract: String?
        var discussion: String?
        var defaultSubcommand: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    struct Argument: Decodable {
        enum Kind: String, Decodable { case positional, option, flag }

        struct Name: Decodable {
            /// `long`, `short` or `longWithSingleDash`.
            var kind: String
            var name: String
        }

        var kind: Kind
        var shouldDisplay: Bool
        var sectionTitle: String?
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var preferredName: Name?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?
        var abstract: String?
    }

    var command: Command
}

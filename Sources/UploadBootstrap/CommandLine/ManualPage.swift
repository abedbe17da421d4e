// Why this folder has its own renderer: the tool `generate-manual` of swift-argument-parser 1.8.2 leaves out every character that is not
// ASCII, cannot show the examples and the exit statuses at the end of our help, calls the pages `uploadctl.jobs`, which `man uploadctl jobs`
// does not find, and has to be built for half a minute beside the programs. A tool without these gaps would replace this file and `HelpDump`.

import Foundation

/// A manual page in the language of mdoc(7), made of the texts of `--help`: a pure rendering.
struct ManualPage {
    /// The programs, in the order of their names.
    private static let programs = ["enqueue-upload", "upload-notifier", "upload-worker", "uploadctl"]

    let command: HelpDump.Command
    /// The end of `--help`: headings in capitals, each with its indented lines.
    let appendix: String
    let date: Date

    /// The pages of a program and of all its commands.
    /// - Parameter appendices: by the first command's name; under an empty name, the program's own.
    static func all(of program: HelpDump.Command, appendices: [String: String], date: Date) -> [ManualPage] {
        func pages(_ command: HelpDump.Command) -> [ManualPage] {
            let words = (command.superCommands ?? []) + [command.commandName]
            let appendix = appendices[words.count > 1 ? words[1] : ""] ?? ""
            let page = ManualPage(command: command, appendix: appendix, date: date)
            return [page] + page.subcommands.flatMap(pages)
        }
        return pages(program)
    }

    /// `uploadctl-dead-list`, as `man uploadctl dead` and `man uploadctl-dead-list` look for it.
    var name: String { words.joined(separator: "-") }

    var fileName: String { "\(name).1" }

    var text: String {
        let roff = ManualText.self
        var lines = [
            ".Dd \(roff.date(date))", ".Dt \(name.uppercased()) 1", ".Os \"Longshore \(ProgramVersion.number)\"",
            ".Sh NAME", ".Nm \(name)", ".Nd \(roff.argument(summary))", ".Sh SYNOPSIS",
        ]
        lines += synopsis
        lines.append(".Sh DESCRIPTION")
        lines += roff.paragraphs(command.discussion ?? command.abstract ?? "")
        lines += commands
        for (title, arguments) in groups { lines += [".Sh \(roff.argument(title))"] + list(arguments) }
        let ends = sections
        for (title, body) in ends where !["EXIT STATUS", "EXAMPLES"].contains(title) {
            lines += [".Sh \(roff.argument(title))"] + roff.literal(body)
        }
        // These two come last in every manual.
        for (title, body) in ends where title == "EXIT STATUS" {
            lines += [".Sh EXIT STATUS"] + roff.paragraphs(body.joined(separator: "\n"))
        }
        for (title, body) in ends where title == "EXAMPLES" { lines += [".Sh EXAMPLES"] + roff.literal(body) }
        lines.append(".Sh SEE ALSO")
        for (index, page) in related.enumerated() {
            lines.append(".Xr \(page) 1\(index == related.count - 1 ? "" : " ,")")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var words: [String] { (command.superCommands ?? []) + [command.commandName] }

    /// `help` is a command of every program, and has nothing of its own to say.
    private var subcommands: [HelpDump.Command] { (command.subcommands ?? []).filter { $0.commandName != "help" } }

    /// The first sentence without its full stop, as names of pages are listed.
    private var summary: String {
        let abstract = command.abstract ?? ""
        return abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    }

    private var related: [String] {
        if words.count == 1 { return Self.programs.filter { $0 != name } }
        return (1..<words.count).map { words.prefix($0).joined(separator: "-") }
    }

    private var shown: [HelpDump.Argument] { (command.arguments ?? []).filter(\.shouldDisplay) }

    private var synopsis: [String] {
        let own = shown.filter { $0.sectionTitle == nil && !["help", "version"].contains($0.preferredName?.name) }
        var lines = [".Nm \(ManualText.escaped(words.joined(separator: " ")))"]
        if !subcommands.isEmpty {
            lines.append(command.defaultSubcommand == nil ? ".Ar command" : ".Op Ar command")
        }
        lines += own.map { argument in
            let macro =
                argument.kind == .positional
                ? value(argument) : "Fl \(flag(argument.preferredName))\(value(argument, after: " "))"
            return argument.isOptional ? ".Op \(macro)" : ".\(macro)"
        }
        return lines + (shown.contains { $0.sectionTitle != nil } ? [".Op Ar common options"] : [])
    }

    private var commands: [String] {
        guard !subcommands.isEmpty else { return [] }
        let items = subcommands.flatMap { subcommand in
            let isDefault = subcommand.commandName == command.defaultSubcommand
            return [".It Xr \(name)\\-\(ManualText.escaped(subcommand.commandName)) 1"]
                + ManualText.paragraphs((subcommand.abstract ?? "") + (isDefault ? " This is the default." : ""))
        }
        return [".Sh COMMANDS", ".Bl -tag -width Ds"] + items + [".El"]
    }

    /// The arguments by their headings, those of all programs last.
    private var groups: [(title: String, arguments: [HelpDump.Argument])] {
        let own = shown.filter { $0.sectionTitle == nil }
        let titles = shown.compactMap(\.sectionTitle).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let others = titles.map { title in (title: title, arguments: shown.filter { $0.sectionTitle == title }) }
        return (own.isEmpty ? [] : [(title: "OPTIONS", arguments: own)]) + others
    }

    private func list(_ arguments: [HelpDump.Argument]) -> [String] {
        [".Bl -tag -width Ds"]
            + arguments.flatMap { argument in
                let names = (argument.names ?? []).map { "Fl \(flag($0))" }.joined(separator: " , ")
                let item = argument.kind == .positional ? value(argument) : names + value(argument, after: " ")
                return [".It \(item)"] + ManualText.paragraphs(explanation(argument))
            } + [".El"]
    }

    private func explanation(_ argument: HelpDump.Argument) -> String {
        let facts = [
            argument.allValues.map { "values: \($0.joined(separator: ", "))" },
            argument.defaultValue.map { "default: \($0)" },
        ].compactMap(\.self)
        return (argument.abstract ?? "") + (facts.isEmpty ? "" : " (\(facts.joined(separator: "; ")))")
    }

    /// The name without its first dash, which the macro adds.
    private func flag(_ name: HelpDump.Argument.Name?) -> String {
        guard let name else { return "" }
        return ManualText.escaped((name.kind == "long" ? "-" : "") + name.name)
    }

    private func value(_ argument: HelpDump.Argument, after gap: String = "") -> String {
        guard argument.kind != .flag, let name = argument.valueName else { return "" }
        return gap + "Ar \(ManualText.argument(name))" + (argument.isRepeating && gap.isEmpty ? " ..." : "")
    }

    private var sections: [(title: String, body: [String])] {
        var sections: [(title: String, body: [String])] = []
        for line in appendix.split(separator: "\n", omittingEmptySubsequences: false) {
            if let first = line.first, first != " " {
                sections.append((String(line), []))
            } else if !sections.isEmpty, !line.isEmpty {
                sections[sections.count - 1].body.append(String(line.dropFirst(2)))
            }
        }
        return sections
    }
}

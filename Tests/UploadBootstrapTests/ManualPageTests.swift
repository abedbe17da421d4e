import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct ManualPageTests {
    private let dump = """
        {"serializationVersion": 0, "command": {
          "commandName": "tool", "abstract": "Does it.", "defaultSubcommand": "list",
          "discussion": "First\\n'quoted' line.\\n\\nAn object\\n  {\\"path\\": 1}\\non one line.",
          "arguments": [
            {"kind": "flag", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "abstract": "Show help.",
             "names": [{"kind": "short", "name": "h"}, {"kind": "long", "name": "help"}],
             "preferredName": {"kind": "long", "name": "help"}, "valueName": "help"}],
          "subcommands": [
            {"commandName": "list", "superCommands": ["tool"], "abstract": "Lists \\u2026", "arguments": [
              {"kind": "positional", "shouldDisplay": true, "isOptional": false, "isRepeating": true,
               "valueName": "path or URL", "abstract": "A file."},
              {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
               "names": [{"kind": "short", "name": "o"}, {"kind": "long", "name": "output"}], "valueName": "format",
               "preferredName": {"kind": "long", "name": "output"}, "allValues": ["a", "b"], "defaultValue": "a",
               "abstract": "The form."},
              {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
               "sectionTitle": "COMMON OPTIONS", "names": [{"kind": "long", "name": "config"}],
               "preferredName": {"kind": "long", "name": "config"}, "valueName": "file", "abstract": "YAML."},
              {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false, "abstract": "Hidden.",
               "names": [{"kind": "long", "name": "secret"}], "preferredName": {"kind": "long", "name": "secret"}}]},
            {"commandName": "help", "superCommands": ["tool"], "abstract": "Help."}]}}
        """
    private let appendices = [
        "": "EXAMPLES\n  tool\n\nEXIT STATUS\n  0 done,\n  1 not", "list": "EXAMPLES\n  tool list --output b '…'",
    ]

    private var pages: [ManualPage] {
        get throws {
            let command = try WireJSON.decode(HelpDump.self, from: Data(dump.utf8)).command
            return ManualPage.all(of: command, appendices: appendices, date: Date(timeIntervalSince1970: 86_400))
        }
    }

    @Test func `a program's page has its commands, and the end of its help in the order of manuals`() throws {
        let page = try pages[0]
        #expect(page.fileName == "tool.1")
        let text = """
            .Dd January 2, 1970
            .Dt TOOL 1
            .Os "Longshore \(ProgramVersion.number)"
            .Sh NAME
            .Nm tool
            .Nd "Does it"
            .Sh SYNOPSIS
            .Nm tool
            .Op Ar command
            .Sh DESCRIPTION
            First
            \\(aqquoted\\(aq line.
            .Pp
            An object
            .Bd -literal -offset indent
            {\\(dqpath\\(dq: 1}
            .Ed
            on one line.
            .Sh COMMANDS
            .Bl -tag -width Ds
            .It Xr tool\\-list 1
            Lists \\[u2026] This is the default.
            .El
            .Sh OPTIONS
            .Bl -tag -width Ds
            .It Fl h , Fl \\-help
            Show help.
            .El
            .Sh EXIT STATUS
            0 done,
            1 not
            .Sh EXAMPLES
            .Bd -literal
            tool
            .Ed
            .Sh SEE ALSO
            .Xr enqueue-upload 1 ,
            .Xr upload-notifier 1 ,
            .Xr upload-worker 1 ,
            .Xr uploadctl 1

            """
        #expect(page.text == text)
    }

    @Test func `a command has a page of its own, with its options by their headings`() throws {
        let all = try pages
        #expect(all.map(\.fileName) == ["tool.1", "tool-list.1"], "help has none")
        let lines = all[1].text.split(separator: "\n").map(String.init)
        for expected in [
            ".Nm tool-list", ".Nm tool list", ".Ar \"path or URL\" ...", #".Op Fl \-output Ar format"#,
            ".Op Ar common options", ".Sh OPTIONS", #".It Fl o , Fl \-output Ar format"#,
            "The form.", "(values: a, b; default: a)", ".Sh \"COMMON OPTIONS\"", #".It Fl \-config Ar file"#,
            #"tool list \-\-output b \(aq\[u2026]\(aq"#, ".Xr tool 1",
        ] { #expect(lines.contains(expected), "\(expected)") }
        #expect(!all[1].text.contains("secret"))
    }

    @Test(arguments: [(".Sh x", #"\&.Sh x"#), (#"a\fB"#, #"a\efB"#), ("'a", #"\(aqa"#), ("~^`", #"\(ti\(ha\(ga"#)])
    func `text has no meaning of its own`(text: String, escaped: String) {
        #expect(ManualText.escaped(text) == escaped)
    }
}

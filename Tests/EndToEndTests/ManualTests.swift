import Foundation
import Testing
import UploadTesting

/// The manual pages that `deploy/manual` writes, read by the programs that show manuals.
@Suite(.timeLimit(.minutes(10))) struct ManualTests {
    @Test func everyCommandHasAPageThatManReadsWithoutAWarning() async throws {
        let folder = try TemporaryDirectory()
        let programs = Program.folder
        _ = try await Shell.run(
            "env", "LONGSHORE_PROGRAMS=\(programs.path)", Checkout.file("deploy/manual").path, folder.url.path)
        let section = folder.url.appending(path: "man1")
        let names = try FileManager.default.contentsOfDirectory(atPath: section.path).sorted()
        let expected = [
            "enqueue-upload.1", "upload-notifier.1", "upload-worker.1", "uploadctl.1", "uploadctl-jobs.1",
            "uploadctl-workers.1", "uploadctl-dead-list.1",
        ]
        #expect(Set(expected).isSubset(of: names) && !names.contains("uploadctl-help.1"), "\(names)")
        let files = names.map { section.appending(path: $0).path }

        for reader in ["mandoc -T lint -W warning", "groff -mandoc -Tutf8 -ww -z"] {
            let warnings = try await Shell.run(["sh", "-c", "\(reader) \"$@\" 2>&1 || :", "sh"] + files)
            #expect(warnings.isEmpty, "\(reader): \(warnings.prefix(2000))")
        }

        // Bold and underlined characters are printed twice, with a backspace between.
        let page = try await Shell.run("mandoc", "-T", "utf8", "\(section.path)/enqueue-upload.1")
            .replacing(/.\x{8}/, with: "")
        let help = try await Shell.run(programs.appending(path: "enqueue-upload").path, "--help")
        for match in help.matches(of: #/  (--[a-z0-9-]+)/#) { #expect(page.contains(match.1), "\(match.1)") }
        for text in ["EXIT STATUS", "EXAMPLES", "'https://host/cat.jpg?signature=…'", "{\"path\": \"a b.jpg\""] {
            #expect(page.contains(text), "\(text)")
        }
        let found = try await Shell.run("man", "-M", folder.url.path, "-w", "uploadctl", "dead")
        #expect(found.contains("uploadctl-dead.1"), "man joins a program and its command")
    }

    @Test func theFlagOfAProgramNeedsADirectoryThatIsThere() async throws {
        let uploadctl = Program.control.url.path
        let (none, _) = try await Spawn.onThread { try Spawn.run(uploadctl, ["--generate-manual"]) }
        #expect(none.status == 64)
        let (missing, errors) = try await Spawn.onThread {
            try Spawn.run(uploadctl, ["--generate-manual", "/nowhere"])
        }
        #expect(missing.status == 74 && errors.contains("/nowhere"))
    }
}

import Foundation
import Testing
import UploadTesting

/// The package, installed in an empty Debian without Swift, as an operator does it.
@Suite(.timeLimit(.minutes(40))) struct PackageTests {
    private static let units = ["upload-notifier.service", "upload-worker@1.service", "upload-worker@2.service"]

    /// The commands of the README with which a newcomer installs it and uploads a file.
    private static func commands() throws -> [String] {
        let readme = try String(contentsOf: Checkout.file("README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let block = try #require(blocks.first { $0.contains("apt-get install ./longshore_*.deb") })
        return block.split(separator: "\n").map(String.init)
    }

    /// What is there with a name that the package gives.
    private static let listing = """
        find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /packages -o -path /root -o -path /var/lib/dpkg/info \\
            -o -path /var/lib/rabbitmq -o -path /var/log/rabbitmq -o -path /var/log/journal \\) -prune -o -print |
            grep -E 'longshore|upload' | sort
        getent passwd longshore; getent group longshore; true
        """

    @Test func twoRunsOfThePackagerGiveTheSameBytesAndLintianFindsNoError() async throws {
        let (first, second) = (try TemporaryDirectory("package"), try TemporaryDirectory("package"))
        let package = try await DebianPackage.build("1.0.0", into: first.url)
        _ = try await DebianPackage.build("1.0.0", into: second.url)
        let names = try FileManager.default.contentsOfDirectory(atPath: first.url.path).sorted()
        #expect(names.count == 2 && names.contains { $0.hasSuffix(".tar.xz") }, "\(names)")
        for name in names {
            #expect(
                FileManager.default.contentsEqual(atPath: first.path(name), andPath: second.path(name)),
                "\(name) differs")
        }
        let (found, errors) = try await Spawn.onThread {
            try Spawn.run(
                "/usr/bin/env",
                ["lintian", "--allow-root", "--fail-on", "error", package.path])
        }
        #expect(found.status == 0, "\(found.text)\(errors)")

        // The archive runs from any directory.
        let archive = try #require(names.first { $0.hasSuffix(".tar.xz") })
        _ = try await Shell.run("tar", "-xf", first.path(archive), "-C", second.url.path)
        let folder = second.path(String(archive.dropLast(".tar.xz".count)))
        #expect(try await Shell.run("\(folder)/bin/upload-worker", "--version").hasPrefix("upload-worker "))
        #expect(try await Shell.run("\(folder)/bin/longshore", "ctl", "--version").hasPrefix("uploadctl "))
        for example in ["monitoring/rules.yaml", "monitoring/dashboard.json", "kubernetes/base/kustomization.yaml"] {
            #expect(
                FileManager.default.contentsEqual(
                    atPath: "\(folder)/share/doc/longshore/examples/\(example)",
                    andPath: Checkout.file("deploy/\(example)").path),
                "\(example)")
        }
    }

    @Test func itIsInstalledAsTheREADMESaysUpgradedUnderLoadAndRemoved() async throws {
        let folder = try TemporaryDirectory("packages")
        for (version, name) in [("1.0.0", "old"), ("1.1.0", "new")] {
            _ = try await DebianPackage.build(version, into: folder.url.appending(path: name))
        }
        try await DebianContainer.with(sharing: folder.url) { debian in
            // An administrator answers yes. The packages that the container lacks have been downloaded.
            try await debian.output(
                """
                printf 'APT::Get::Assume-Yes "true";\nAPT::Install-Recommends "false";\n' >/etc/apt/apt.conf.d/90test
                apt-get check
                """)
            let before = try await debian.output(Self.listing)

            try await install(debian)
            try await hang(debian)
            try await refuse(debian)
            try await takeCredential(debian)
            try await upgrade(debian)

            // What users have uploaded and recorded stays.
            let purged = try await debian.output("apt-get purge longshore 2>&1")
            #expect(purged.contains("/var/lib/longshore has files of yours, and stays"), "\(purged)")
            try await debian.output("test -s /var/lib/longshore/ledger.sqlite && ! pgrep -x 'upload-(worker|notifier)'")
            try await debian.output("rm -r /var/lib/longshore /var/log/longshore /var/backups/longshore /etc/longshore")
            // Of a package that was never used nothing stays.
            try await debian.output("apt-get install /packages/new/longshore_*.deb && apt-get purge longshore")
            let after = try await debian.output(Self.listing)
            #expect(after == before)
        }
    }

    private func install(_ debian: DebianContainer) async throws {
        #expect(try await debian.run("command -v swift; find / -xdev -name 'libswift*'").text.isEmpty)
        let commands = try Self.commands()
        #expect(commands.count == 4)
        var shown = ""
        for command in commands.dropLast() { _ = try await debian.output("cd /packages/old\n\(command)") }
        // The notifier writes the line beside the answer to those that wait, perhaps a moment later.
        try await eventually("the outcome is written") {
            shown = try await debian.output(try #require(commands.last))
            return !shown.isEmpty
        }
        #expect(shown.contains(#""type":"upload.completed""#) && shown.contains("/hostname"), "\(shown)")
        #expect(try await debian.output("ldd /usr/bin/longshore").contains("librabbitmq.so.4"))

        try await debian.output("systemctl start upload-worker@2")
        for unit in Self.units {
            // The container has no manual pages.
            try await debian.output("systemd-analyze verify --man=no \(unit)")
            try await debian.output("systemd-analyze security --threshold=20 \(unit)")
            let status = try await debian.output("systemctl show --property StatusText,ActiveState \(unit)")
            #expect(status == "StatusText=ready\nActiveState=active\n", "\(unit): \(status)")
        }
        try await debian.output("systemctl reload upload-notifier 'upload-worker@*'")
        // Without a broker, the unit says what it waits for, and starting it waits.
        try await debian.output("systemctl stop rabbitmq-server && systemctl restart --no-block upload-worker@2")
        try await eventually("the worker says what it waits for") {
            let status = try await debian.output("systemctl show --property StatusText,ActiveState upload-worker@2")
            return status.contains("ActiveState=activating") && status.contains("broker")
        }
        try await debian.output(
            "journalctl --output cat -p warning -u upload-worker@2 | grep -q '^warning no broker yet'")
        try await debian.output("systemctl start rabbitmq-server")
        try await isActive(debian, "upload-worker@2")
    }

    private func isActive(_ debian: DebianContainer, _ unit: String) async throws {
        try await eventually("\(unit) is active") {
            try await debian.run("systemctl is-active \(unit)").text == "active\n"
        }
    }

    /// A worker that hangs is killed by systemd and started again.
    private func hang(_ debian: DebianContainer) async throws {
        try await debian.output(
            """
            mkdir /run/systemd/system/upload-worker@2.service.d
            printf '[Service]\nWatchdogSec=2\n' >/run/systemd/system/upload-worker@2.service.d/test.conf
            systemctl daemon-reload && systemctl restart upload-worker@2
            systemctl kill --signal STOP upload-worker@2
            """)
        try await eventually("systemd starts the worker again") {
            try await debian.output("systemctl show --property NRestarts --value upload-worker@2") == "1\n"
        }
        try await isActive(debian, "upload-worker@2")
        try await debian.output(
            "rm -r /run/systemd/system/upload-worker@2.service.d && systemctl daemon-reload && systemctl restart upload-worker@2"
        )
    }

    /// A wrong configuration, and one that is gone, fail the reload; the program goes on with the old one.
    private func refuse(_ debian: DebianContainer) async throws {
        for change in ["echo 'nonsense: 1' >>/etc/longshore/upload.yaml", "rm /etc/longshore/upload.yaml"] {
            try await debian.output("cp /etc/longshore/upload.yaml right.yaml && \(change)")
            for unit in ["upload-notifier", "upload-worker@1"] {
                #expect(try await debian.run("systemctl reload \(unit)").status != 0, "\(change): \(unit)")
                #expect(try await debian.output("systemctl is-active \(unit)") == "active\n")
            }
            try await debian.output("cp right.yaml /etc/longshore/upload.yaml && systemctl reload upload-notifier")
        }
        try await debian.output("uploadctl ledger backup /var/backups/longshore/ledger.sqlite")
        try await debian.output("test -s /var/backups/longshore/ledger.sqlite")
    }

    /// A secret that only root can read reaches the units, and the commands of root.
    private func takeCredential(_ debian: DebianContainer) async throws {
        try await debian.output(
            """
            rabbitmqctl add_user longshore swordfish && rabbitmqctl set_permissions longshore '.*' '.*' '.*'
            (umask 077 && echo swordfish >/etc/longshore/credentials/broker)
            sed -i 's|^broker: .*|broker: amqp://longshore@127.0.0.1:5672/|; s|^#brokerPassword|brokerPassword|' \
                /etc/longshore/upload.yaml
            systemctl restart upload-notifier upload-worker@1 upload-worker@2
            systemctl reload upload-notifier 'upload-worker@*' || exit
            enqueue-upload --to local: --wait /etc/issue
            """)
        #expect(try await debian.output("rabbitmqctl list_connections user").contains("longshore"))
        let refused = try await debian.run(
            "setpriv --reuid nobody --clear-groups enqueue-upload --to local: /etc/issue")
        #expect(refused.status == 78 && refused.text.contains("may not read the credential 'broker'"), "\(refused)")
    }

    /// A new version is installed while 2,000 jobs run.
    private func upgrade(_ debian: DebianContainer) async throws {
        let count = 2000
        try await debian.output(
            """
            sed -i 's|uploaded}|uploaded, limits: {requestsPerSecond: 40}}|' /etc/longshore/upload.yaml
            systemctl reload 'upload-worker@*' || exit
            journalctl --rotate && journalctl --vacuum-time=1s
            mkdir many && cd many && seq -f '%04g' \(count) | while read name; do echo $name >$name; done
            enqueue-upload --to local:many/ --batch many . >/dev/null
            """)
        let done = "ls /var/lib/longshore/uploaded/many | wc -l"
        try await eventually("some jobs have run") {
            try await Int(debian.output(done).trimmingCharacters(in: .newlines)) ?? 0 > 200
        }
        let processes =
            "for unit in \(Self.units.joined(separator: " ")); do systemctl show --property MainPID --value $unit; done"
        let before = try await debian.output(processes)
        try await debian.output("apt-get install /packages/new/longshore_*.deb")
        #expect(
            try await Int(debian.output(done).trimmingCharacters(in: .newlines)) ?? count < count,
            "too late to say anything")
        try await debian.output("uploadctl wait --batch many")
        let after = try await debian.output(processes)
        #expect(Set(before.split(separator: "\n")).isDisjoint(with: after.split(separator: "\n")), "\(before)\(after)")
        #expect(try await debian.output("dpkg-query -W -f '${Version}' longshore") == "1.1.0")

        #expect(try await debian.output(done) == "\(count)\n")
        try await eventually("all outcomes are delivered") {
            try await debian.output("grep -c '\"key\":\"many/' /var/log/longshore/events.ndjson") == "\(count)\n"
        }
        let outcomes = try await debian.output(
            """
            grep '"key":"many/' /var/log/longshore/events.ndjson |
                grep -oE '"(attempts|subject|type)":"?[^",]*' | sed 's/^"//' | sort | uniq -c | sort -rn | sed -n 1,4p
            """
        ).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(outcomes.first { $0.contains("attempts") } == #"\#(count) attempts":0"#, "\(outcomes)")
        #expect(outcomes.first { $0.contains("type") } == #"\#(count) type":"upload.completed"#, "\(outcomes)")
        #expect(outcomes.dropFirst(2).allSatisfy { $0.hasPrefix("1 ") }, "\(outcomes)")
        let errors = try await debian.run(
            "journalctl --no-pager --output cat -p err -u upload-notifier -u 'upload-worker@*' | grep -E '^(error|critical) '"
        )
        #expect(errors.text.isEmpty, "\(errors.text)")
    }
}

import ArgumentParser
import UploadBootstrap

struct UploadctlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uploadctl",
        abstract: "The operator's tool: shows jobs and their history, and gives orders about them.",
        discussion: """
            Orders (cancel, pause, resume, run, discard, forget, move, queue stop and
            start, worker drain and resume, sweeps) are messages to the notifier: with exit
            status 0 or 1 they are on the broker's disk, and hold also if no notifier and no
            worker is up. Most other commands ask the notifier's HTTP API.
            """,
        version: ProgramVersion.line(of: "uploadctl"),
        subcommands: [
            JobsCommand.self, JobCommand.self, FailuresCommand.self, WatchCommand.self, WaitCommand.self,
            CancelCommand.self, PauseCommand.self, ResumeCommand.self, RunCommand.self, DiscardCommand.self,
            ForgetCommand.self, MoveCommand.self,
            QueueCommand.self, WorkersCommand.self, WorkerCommand.self, DelegateCommand.self, DeliveryCommand.self,
            DeadCommand.self, DestinationCommand.self, StagingCommand.self, AuditCommand.self, LedgerCommand.self,
            TopologyCommand.self, VersionCommand.self,
        ])

    /// The end of `--help`, by command.
    static let examples = [
        "": """
        EXAMPLES
          uploadctl jobs --status failed --since 2h
          uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl watch --queue video
          uploadctl cancel 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl pause --batch holiday
          uploadctl run --again --status failed --destination photos
          uploadctl queue stop video

        SHELL COMPLETIONS
          uploadctl --generate-completion-script bash (or zsh, fish) prints a script
          that also completes queues, delegates, destinations and jobs. In bash:
          source <(uploadctl --generate-completion-script bash)

        EXIT STATUS
          0 done, 1 some jobs refused, not all swept, or a test that failed, 64 usage,
          66 no such job, queue, worker, delegate, delivery or dead letter, 69 broker
          or notifier unavailable, 77 refused, 78 configuration, 130 interrupted
        """,
        "jobs": JobsCommand.examples,
        "job": JobCommand.examples,
        "failures": FailuresCommand.examples,
        "watch": WatchCommand.examples,
        "wait": WaitCommand.examples,
        "delegate": DelegateCommand.examples,
        "delivery": DeliveryCommand.examples,
        "dead": DeadCommand.examples,
        "cancel": CancelCommand.examples,
        "pause": PauseCommand.examples,
        "resume": ResumeCommand.examples,
        "run": RunCommand.examples,
        "discard": DiscardCommand.examples,
        "forget": ForgetCommand.examples,
        "move": MoveCommand.examples,
        "queue": QueueCommand.examples,
        "workers": WorkersCommand.examples,
        "worker": WorkerCommand.examples,
        "destination": DestinationCommand.examples,
        "staging": StagingCommand.examples,
        "audit": AuditCommand.examples,
        "topology": TopologyCommand.examples,
        "ledger": LedgerCommand.examples,
    ]
}

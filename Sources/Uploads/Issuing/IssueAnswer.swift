/// The broker's answer to a baton that the notifier issues.
public enum IssueAnswer: Hashable, Sendable {
    /// The lane has taken the baton.
    case taken
    /// Its lane does not exist. The notifier does not declare it: any program that may publish a job chooses the name of its queue.
    case noLane
    /// Its lane takes no more for now.
    case refused
}

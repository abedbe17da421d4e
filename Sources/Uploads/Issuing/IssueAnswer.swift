/// What the broker says of a baton that the notifier issues.
public enum IssueAnswer: Hashable, Sendable {
    /// It lies in its lane.
    case taken
    /// Its lane does not exist. The notifier does not declare it: any program that may publish a job chooses the name of its queue.
    case noLane
    /// Its lane takes no more for now.
    case refused
}

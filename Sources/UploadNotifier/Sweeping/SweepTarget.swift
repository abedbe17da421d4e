public import Uploads

/// A destination that is swept, with its name in jobs.
public struct SweepTarget: Sendable {
    public var name: DestinationName
    public var destination: any SweepableDestination

    public init(_ name: DestinationName, _ destination: any SweepableDestination) {
        self.name = name
        self.destination = destination
    }
}

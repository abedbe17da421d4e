public import Uploads

/// A destination that is swept, under the name that jobs give it.
public struct SweepTarget: Sendable {
    public var name: DestinationName
    public var destination: any SweepableDestination

    public init(_ name: DestinationName, _ destination: any SweepableDestination) {
        self.name = name
        self.destination = destination
    }
}

import Synchronization
public import Uploads

/// Turns JSON into objects, and objects into JSON, by the `type` field.
///
/// The object types of the Bridge upload API have Swift types from the start (``BridgeUploadSession`` and so on); any type name can
/// be mapped to a `Codable` class or struct of yours. Mappings belong to the instance: change those of ``shared`` and a
/// mapper of your own stays as it is. A conversion works with the mappings that held when it began.
///
/// Nothing of Longshore's own wire format (jobs, batons, events on the broker) goes through a mapper, so no mapping can break it.
public final class ObjectMapper: ObjectMapping {
    /// The one that a program shares.
    public static let shared = ObjectMapper()

    private let mappings = Mutex(MappingTable())

    /// A mapper with the default types alone.
    public init() {}

    /// From now on JSON objects of this type become values of `swiftType`, and values of `swiftType` become such JSON objects.
    ///
    /// One Swift type may stand for several types: each is read by its name. It is written as the one that its own
    /// `type` property says, or as the one that was set up last.
    ///
    /// - Parameters:
    ///   - type: the type's name in the `type` field, not empty. An earlier mapping of this name is replaced.
    ///   - swiftType: a class or a struct that is encoded as an object.
    ///   - fields: JSON field names, each with the name of the property (of its coding key) that holds it. Fields that are not
    ///     named keep their names; nil: all of them do.
    /// - Throws: `misconfigured` for an empty name, two fields for one property, or a Swift type that is no object
    ///   (`String`, `Date`, an array …). The mappings are then as before.
    public func setUpMapping<Mapped: Codable & SendableMetatype>(
        type: String, to swiftType: Mapped.Type, fields: [String: String]? = nil
    ) throws(UploadError) {
        let mapping = try TypeMapping(type: type, swiftType: swiftType, fields: fields ?? [:])
        mappings.withLock { $0.setUp(mapping) }
    }

    /// Back to the default for this type: the Swift type that it had from the start, or none.
    public func clearMapping(type: String) {
        mappings.withLock { $0.clear(type) }
    }

    /// The mappings that hold now.
    var table: MappingTable { mappings.withLock { $0 } }
}

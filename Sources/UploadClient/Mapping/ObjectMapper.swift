import Synchronization
public import Uploads

/// Converts JSON into objects, and objects into JSON, by the `type` field.
///
/// The object types of the Bridge upload API have Swift types from the start (``BridgeUploadSession`` and so on); any
/// type name can be mapped to a `Codable` class or struct of yours. Mappings belong to the instance: a change to
/// ``shared`` does not affect a mapper of your own. A conversion uses the mappings of the moment when it began.
///
/// Longshore's own wire format (jobs, batons, events on the broker) never goes through a mapper, so no mapping can
/// break it.
public final class ObjectMapper: ObjectMapping {
    /// The mapper that a program shares.
    public static let shared = ObjectMapper()

    private let mappings = Mutex(MappingTable())

    /// Makes a mapper with only the default types.
    public init() {}

    /// From now on JSON objects of this type become values of `swiftType`, and values of `swiftType` become such JSON
    /// objects.
    ///
    /// Several types may be mapped to one Swift type: each is read by its name. A value is written as the type that its
    /// own `type` property names, or else as the type that was set up last.
    ///
    /// - Parameters:
    ///   - type: the type's name in the `type` field, not empty. An earlier mapping of this name is replaced.
    ///   - swiftType: a class or a struct that is encoded as an object.
    ///   - fields: JSON field names, each with the name of the property (of its coding key) that holds it. Fields that
    ///     are not named keep their names; nil: all fields do.
    /// - Throws: `misconfigured` for an empty name, two fields for one property, or a Swift type that is not an object
    ///   (`String`, `Date`, an array …). The mappings do not change then.
    public func setUpMapping<Mapped: Codable & SendableMetatype>(
        type: String, to swiftType: Mapped.Type, fields: [String: String]? = nil
    ) throws(UploadError) {
        let mapping = try TypeMapping(type: type, swiftType: swiftType, fields: fields ?? [:])
        mappings.withLock { $0.setUp(mapping) }
    }

    /// Restores the default for this type: its original Swift type, or none.
    public func clearMapping(type: String) {
        mappings.withLock { $0.clear(type) }
    }

    /// The present mappings.
    var table: MappingTable { mappings.withLock { $0 } }
}

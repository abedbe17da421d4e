public import Uploads

extension StoredObject {
    /// The object with its tag as comparisons use it, without `W/` (RFC 9110, section 8.8.3.2): Apache calls the tag weak while the object
    /// is younger than a second.
    public var withPlainTag: StoredObject {
        var object = self
        object.etag = etag.map { String($0.trimmingPrefix("W/")) }
        return object
    }
}

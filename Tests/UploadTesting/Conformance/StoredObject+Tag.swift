public import Uploads

extension StoredObject {
    /// The same with its tag as it is compared (RFC 9110, section 8.8.3.2): Apache calls it weak while the object is younger than a second.
    public var withPlainTag: StoredObject {
        var object = self
        object.etag = etag.map { String($0.trimmingPrefix("W/")) }
        return object
    }
}

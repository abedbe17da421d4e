import CLinux
import Glibc

extension File {
    /// The most bytes that are read of an attribute.
    public static let attributeBytesMaximum = 4096

    /// An extended attribute (xattr(7)).
    /// - Returns: nil when the file has no attribute of this name, or the file system does not support attributes.
    public func attribute(_ name: String) throws(SystemError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: Self.attributeBytesMaximum)
        let count = linux_get_attribute(descriptor, name, &value, value.count)
        if count >= 0 { return Array(value.prefix(count)) }
        if [ENODATA, EOPNOTSUPP, ENOSYS].contains(errno) { return nil }
        throw failure("fgetxattr")
    }

    /// - Returns: false when the file system has no room for attributes or does not support them.
    public func setAttribute(_ name: String, to value: [UInt8]) throws(SystemError) -> Bool {
        if linux_set_attribute(descriptor, name, value, value.count) == 0 { return true }
        if [EOPNOTSUPP, ENOSYS, EPERM, ENOSPC, EDQUOT, E2BIG, ERANGE].contains(errno) { return false }
        throw failure("fsetxattr")
    }
}

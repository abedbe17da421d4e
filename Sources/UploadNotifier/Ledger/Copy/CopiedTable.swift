package import Foundation

/// A table after a copy. Source and destination agree in both values.
package struct CopiedTable: Hashable, Sendable {
    package var name: String
    package var count: Int
    /// SHA-256 over the values of all rows, in the order of their keys. It does not depend on the kind of the database.
    package var digest: Data
}

import Foundation

/// The files of the repository from which the tests were built.
enum Checkout {
    static func file(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
            .appending(path: path)
    }
}

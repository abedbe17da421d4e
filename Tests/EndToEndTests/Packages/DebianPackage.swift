import Foundation
import Testing
import UploadTesting

/// The package of the programs under test.
enum DebianPackage {
    /// The directory of the programs to pack: the one that `LONGSHORE_PROGRAMS` names, else the debug build with Swift's libraries inside.
    private static let programs = Task {
        if let folder = Program.given { return folder.path }
        return try await Shell.run(Checkout.file("deploy/programs").path, "--debug").trimmingCharacters(in: .newlines)
    }

    /// Builds the package of the programs under test into a new directory. - Returns: the package's path.
    static func build(_ version: String, into folder: URL) async throws -> URL {
        // Good compression costs more than all the rest, and no test looks at it.
        _ = try await Shell.run(
            "env", "LONGSHORE_PROGRAMS=\(programs.value)", "LONGSHORE_VERSION=\(version)",
            "DPKG_DEB_COMPRESSOR_TYPE=gzip", "DPKG_DEB_COMPRESSOR_LEVEL=1", "XZ_OPT=-0",
            Checkout.file("deploy/package").path, folder.path)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try #require(files.first { $0.pathExtension == "deb" })
    }
}

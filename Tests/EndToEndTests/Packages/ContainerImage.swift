import Foundation
import Testing
import UploadTesting

/// The image that `deploy/Containerfile` describes, built by buildah, and run as its own configuration says: by its user, with a root file
/// system that is read-only. buildah's isolation is a chroot, since no engine is there.
final class ContainerImage {
    /// What the image says of itself.
    struct Configuration: Decodable {
        struct HealthCheck: Decodable {
            let test: [String]

            enum CodingKeys: String, CodingKey { case test = "Test" }
        }

        let user: String
        let entryPoint: [String]
        let stopSignal: String
        let healthCheck: HealthCheck

        enum CodingKeys: String, CodingKey {
            case user = "User", entryPoint = "Entrypoint", stopSignal = "StopSignal", healthCheck = "Healthcheck"
        }
    }

    private struct Inspection: Decodable {
        struct Docker: Decodable { let config: Configuration }

        let docker: Docker

        enum CodingKeys: String, CodingKey { case docker = "Docker" }
    }

    let configuration: Configuration
    private let root: String
    private let place: TemporaryDirectory

    private static let base = "docker.io/library/debian:12-slim"

    /// Enters the root in a mount namespace of its own. After the root come a directory that is the same inside, the configuration's file, the
    /// user, and the command.
    private static let script = """
        set -e
        root=$1 shared=$2 configuration=$3 user=$4; shift 4
        mount --bind "$root" "$root"
        mount --rbind /proc "$root/proc"
        mount --rbind /dev "$root/dev"
        for path in /tmp /var/lib/longshore; do mount -t tmpfs -o mode=1777 tmpfs "$root$path"; done
        mkdir -p "$root$shared"
        mount --bind "$shared" "$root$shared"
        mount --bind "$configuration" "$root/etc/longshore/upload.yaml"
        mount -o remount,bind,ro "$root"
        exec chroot --userspec="$user" "$root" "$@"
        """

    private init(_ configuration: Configuration, root: String, _ place: TemporaryDirectory) {
        self.configuration = configuration
        self.root = root
        self.place = place
    }

    /// Builds the image from the package, in a storage of its own, and mounts it.
    /// - Parameter folder: has the package.
    static func build(from folder: URL) async throws -> ContainerImage {
        let place = try TemporaryDirectory("image")
        let debian = try await Shell.run(Checkout.file("deploy/debian-root").path).trimmingCharacters(in: .newlines)
        let buildah = [
            "buildah", "--storage-driver", "vfs", "--root", place.path("storage"), "--runroot", place.path("run"),
        ]
        func run(_ arguments: String...) async throws -> String {
            try await Shell.run(buildah + arguments).trimmingCharacters(in: .newlines)
        }
        let scratch = try await run("from", "scratch")
        _ = try await run("add", "-q", scratch, debian, "/")
        _ = try await run("commit", "-q", scratch, base)
        _ = try await run("rm", scratch)
        _ = try await run(
            "build", "--isolation", "chroot", "--pull-never", "--format", "docker", "-t", "longshore", "-f",
            Checkout.file("deploy/Containerfile").path, folder.path)
        let told = try await run("inspect", "--type", "image", "longshore")
        let configuration = try JSONDecoder().decode(Inspection.self, from: Data(told.utf8)).docker.config
        let root = try await run("mount", run("from", "longshore"))
        return ContainerImage(configuration, root: root, place)
    }

    /// The command before a command that is to run in the image.
    /// - Parameters:
    ///   - directory: is also inside, at the same path, and belongs to the image's user.
    ///   - file: the configuration.
    func entering(sharing directory: URL, configuration file: URL) -> [String] {
        [
            "/usr/bin/unshare", "--mount", "--", "/bin/bash", "-c", Self.script, "enter", root, directory.path,
            file.path,
            configuration.user,
        ]
    }
}

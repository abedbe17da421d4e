import Foundation

/// The RabbitMQ installation from which tests start nodes: this machine's own, or the one whose program directory `LONGSHORE_RABBITMQ`
/// names; `deploy/newer-rabbitmq` prints such a directory.
struct BrokerInstallation {
    static let current = BrokerInstallation(ProcessInfo.processInfo.environment["LONGSHORE_RABBITMQ"])

    let server: String
    let control: String
    let portMapper: String
    /// The PATH in which RabbitMQ's scripts find Erlang.
    let path: String
    /// The programs' directory.
    private let programs: String

    private init(_ directory: String?) {
        programs = directory ?? "/usr/lib/rabbitmq/bin"
        server = "\(programs)/rabbitmq-server"
        control = "\(programs)/rabbitmqctl"
        let system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        if let directory {
            let erlang = URL(filePath: directory).appending(path: "../../erlang/bin").standardizedFileURL.path
            portMapper = "\(erlang)/epmd"
            path = "\(erlang):\(system)"
        } else {
            portMapper = "/usr/bin/epmd"
            path = system
        }
    }

    /// Makes a directory of the libraries that a node needs, without its plugins: a node looks at each plugin when it starts, which takes a
    /// quarter of the work.
    /// - Returns: the path of the directory; nil where the installation is not as expected.
    func makeLibraries(in directory: String) throws -> String? {
        let files = FileManager.default
        let servers = URL(filePath: programs).appending(path: "../lib").standardizedFileURL
        let versions = (try? files.contentsOfDirectory(atPath: servers.path)) ?? []
        guard let version = versions.first(where: { $0.hasPrefix("rabbitmq_server-") }) else { return nil }
        let all = servers.appending(path: "\(version)/plugins")
        let path = "\(directory)/libraries"
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: all.path)
        where !name.hasPrefix("rabbitmq_") || name.hasPrefix("rabbitmq_prelaunch") {
            try files.createSymbolicLink(
                atPath: "\(path)/\(name)", withDestinationPath: all.appending(path: name).path)
        }
        return path
    }
}

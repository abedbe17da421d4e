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

    private init(_ directory: String?) {
        let programs = directory ?? "/usr/lib/rabbitmq/bin"
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
}

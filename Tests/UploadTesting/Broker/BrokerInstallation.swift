import Foundation

/// The RabbitMQ that nodes are started of: this machine's own, or another one whose directory of programs `LONGSHORE_RABBITMQ` names, as
/// `deploy/newer-rabbitmq` prints it.
struct BrokerInstallation {
    static let current = BrokerInstallation(ProcessInfo.processInfo.environment["LONGSHORE_RABBITMQ"])

    let server: String
    let control: String
    let portMapper: String
    /// Where its scripts look for Erlang.
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

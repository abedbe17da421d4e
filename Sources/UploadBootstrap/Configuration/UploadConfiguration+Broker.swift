public import RabbitMQ

extension UploadConfiguration {
    /// The broker's addresses, the login and the certificates.
    /// - Parameter program: the connection's name in the broker's lists.
    /// - Throws: `configuration` for URLs that contradict each other, a missing secret, a certificate without its key.
    public func connection(for program: String) throws(ProgramError) -> ConnectionConfiguration {
        var connection: ConnectionConfiguration
        do throws(RabbitMQError) {
            connection = try ConnectionConfiguration(urls: broker.urls)
        } catch {
            throw ProgramError(.configuration, "\(settings.place("broker")): \(error.message)")
        }
        if let password = broker.password {
            connection.password = try password.resolve(environment, key: settings.place("brokerPassword"))
        }
        guard (broker.certificateFile == nil) == (broker.keyFile == nil) else {
            let present = broker.certificateFile == nil ? "tls.keyFile" : "tls.certificateFile"
            let missing = broker.certificateFile == nil ? "tls.certificateFile" : "tls.keyFile"
            throw ProgramError(.configuration, "\(settings.place(present)): needs \(missing) beside it")
        }
        if broker.caFile != nil || broker.keyFile != nil {
            connection.tls = TLSConfiguration(
                caFile: broker.caFile, certificateFile: broker.certificateFile, keyFile: broker.keyFile)
        }
        connection.name = program
        connection.heartbeat = .seconds(brokerHeartbeat)
        return connection
    }
}

extension ConnectionConfiguration {
    /// The same configuration with connect timeouts that try all addresses within a time: a paused node must not use up the whole time.
    func within(_ limit: Duration) -> ConnectionConfiguration {
        var configuration = self
        // Connecting and logging in may take this long each.
        configuration.connectTimeout = max(
            .seconds(1), min(connectTimeout, limit / (2 * addresses.count)))
        return configuration
    }
}

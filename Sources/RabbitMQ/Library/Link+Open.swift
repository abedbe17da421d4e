import CRabbitMQ
import Foundation
import Glibc

extension Link {
    /// Connects and logs in; waits at most `connectTimeout` for each of the two (and for the resolver).
    static func open(
        _ address: BrokerAddress, _ configuration: ConnectionConfiguration
    ) throws(RabbitMQError) -> Link {
        guard let state = amqp_new_connection() else {
            throw RabbitMQError(.connectionRefused, "out of memory for a connection")
        }
        let verdict = address.isTLS ? TLSVerdict() : nil
        do throws(RabbitMQError) {
            let socket = try makeSocket(state, address, configuration, verdict)
            var timeout = configuration.connectTimeout.timeval
            amqp_set_handshake_timeout(state, &timeout)
            let status = amqp_socket_open_noblock(socket, address.host, CInt(address.port), &timeout)
            guard status == AMQP_STATUS_OK.rawValue else { throw LibraryStatus.connectError(status, address) }
            try login(state, address, configuration)
            return Link(state: state, verdict: verdict)
        } catch {
            // OpenSSL's error is read before another call overwrites it.
            let told = verdict?.error(address, isClientCertificateGiven: configuration.tls?.certificateFile != nil)
            amqp_destroy_connection(state)
            throw error.code == .tlsFailed ? error : told ?? error
        }
    }

    private static func makeSocket(
        _ state: amqp_connection_state_t, _ address: BrokerAddress, _ configuration: ConnectionConfiguration,
        _ verdict: TLSVerdict?
    ) throws(RabbitMQError) -> OpaquePointer {
        guard let socket = address.isTLS ? amqp_ssl_socket_new(state) : amqp_tcp_socket_new(state) else {
            throw RabbitMQError(.connectionRefused, "out of memory for a socket")
        }
        guard let verdict else { return socket }
        let tls = configuration.tls ?? TLSConfiguration()
        guard verdict.judge(socket, host: address.host, verifiesHostName: tls.verifiesHostName) else {
            throw RabbitMQError(
                .tlsFailed, "no certificate could name '\(address.host)': give a host name or an IP address")
        }
        amqp_ssl_socket_set_verify_peer(socket, 1)
        // The handshake compares the host as well, also if it is an IP address.
        amqp_ssl_socket_set_verify_hostname(socket, 0)
        amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        let authorities: String
        if let file = tls.caFile { authorities = file } else { authorities = try systemAuthorities() }
        guard amqp_ssl_socket_set_cacert(socket, authorities) == AMQP_STATUS_OK.rawValue else {
            throw RabbitMQError(.tlsFailed, "the CA file \(authorities) cannot be used: give a readable PEM file")
        }
        switch (tls.certificateFile, tls.keyFile) {
        case (nil, nil): break
        case (let certificate?, let key?):
            guard amqp_ssl_socket_set_key(socket, certificate, key) == AMQP_STATUS_OK.rawValue else {
                throw RabbitMQError(
                    .tlsFailed,
                    "the client certificate \(certificate) and key \(key) cannot be used: give readable PEM files that "
                        + "belong together")
            }
        default:
            throw RabbitMQError(.tlsFailed, "a client certificate needs its key, and a key its certificate: give both")
        }
        return socket
    }

    /// The library has no default; these are the usual places of the system's bundle.
    private static func systemAuthorities() throws(RabbitMQError) -> String {
        let places = [
            ProcessInfo.processInfo.environment["SSL_CERT_FILE"], "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        ]
        for case let place? in places where access(place, R_OK) == 0 { return place }
        throw RabbitMQError(.tlsFailed, "the system has no bundle of trusted authorities: give a CA file")
    }

    private static func login(
        _ state: amqp_connection_state_t, _ address: BrokerAddress, _ configuration: ConnectionConfiguration
    ) throws(RabbitMQError) {
        let pool = UnsafeMutablePointer<amqp_pool_t>.allocate(capacity: 1)
        init_amqp_pool(pool, 4096)
        defer {
            empty_amqp_pool(pool)
            pool.deallocate()
        }
        var properties = Encoder(pool: pool).table([
            "connection_name": .string(configuration.name),
            "product": "longshore",
            "capabilities": [
                "authentication_failure_close": true, "basic.nack": true, "connection.blocked": true,
                "consumer_cancel_notify": true, "publisher_confirms": true,
            ],
        ])
        let seconds = CInt(clamping: max(1, configuration.heartbeat.components.seconds))
        let reply = longshore_login_plain(
            state, configuration.virtualHost, 0, AMQP_DEFAULT_FRAME_SIZE, seconds, &properties, configuration.user,
            configuration.password)
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            var code: Int?
            var text = "no reason given"
            if reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD, let decoded = reply.reply.decoded {
                let close = decoded.assumingMemoryBound(to: amqp_connection_close_t.self).pointee
                code = Int(close.reply_code)
                text = Decoder.string(close.reply_text)
            }
            if text.contains("connection limit") {
                throw RabbitMQError(
                    .connectionRefused,
                    "\(address) takes no more connections (\(text)): raise the limit, or close some",
                    replyCode: code)
            }
            if code == 403 || code == 530 {
                throw RabbitMQError(
                    .loginRefused,
                    "\(address) refused user '\(configuration.user)' on virtual host '\(configuration.virtualHost)' "
                        + "(\(text)): check user, password, virtual host and permissions", replyCode: code)
            }
            throw RabbitMQError(
                .connectionRefused, "\(address) refused the login (\(text)): see the broker's log", replyCode: code)
        case AMQP_RESPONSE_LIBRARY_EXCEPTION:
            if reply.library_error == AMQP_STATUS_BROKER_UNSUPPORTED_SASL_METHOD.rawValue {
                throw RabbitMQError(.loginRefused, "\(address) takes no user and password (SASL PLAIN): allow it there")
            }
            throw LibraryStatus.connectError(reply.library_error, address)
        default:
            throw RabbitMQError(
                .connectionRefused, "\(address) closed the connection during login: check that it speaks AMQP 0-9-1")
        }
    }
}

extension Duration {
    fileprivate var timeval: timeval {
        longshore_timeval(Int(components.seconds), Int(components.attoseconds / 1_000_000_000_000))
    }
}

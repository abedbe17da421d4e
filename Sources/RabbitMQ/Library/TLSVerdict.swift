import CRabbitMQ

/// The reason of a failed TLS handshake; the library only says that it failed. Belongs to the connection's thread.
final class TLSVerdict {
    /// Why the certificate was refused (`X509_V_ERR_…`); 0 if it was not. OpenSSL writes it.
    private let certificateError: UnsafeMutablePointer<CInt>

    init() {
        certificateError = .allocate(capacity: 1)
        certificateError.initialize(to: 0)
    }

    deinit { certificateError.deallocate() }

    /// Has the socket's handshake check the certificate.
    /// - Returns: false if no certificate could name the host.
    func judge(_ socket: OpaquePointer, host: String, verifiesHostName: Bool) -> Bool {
        longshore_verify(socket, host, verifiesHostName ? 1 : 0, certificateError) == 1
    }

    /// Why connecting or logging in over TLS failed. Call it on the thread, right after the failure.
    /// - Returns: nil if TLS is not the cause.
    func error(_ address: BrokerAddress, isClientCertificateGiven: Bool) -> RabbitMQError? {
        if certificateError.pointee != 0 { return refusal(of: certificateError.pointee, address) }
        let reason = longshore_tls_reason()
        guard reason != 0 else { return nil }
        // Alerts of TLS (RFC 8446, section 6) are reasons above this.
        switch reason - SSL_AD_REASON_OFFSET {
        case SSL_AD_CERTIFICATE_REQUIRED where !isClientCertificateGiven,
            SSL_AD_HANDSHAKE_FAILURE where !isClientCertificateGiven:
            return RabbitMQError(
                .tlsFailed,
                "\(address) asks for a client certificate, and none is given (or has no cipher of TLS in common with this program): give its file and that of its key"
            )
        case SSL_AD_CERTIFICATE_REQUIRED, SSL_AD_BAD_CERTIFICATE, SSL_AD_UNKNOWN_CA, SSL_AD_CERTIFICATE_EXPIRED,
            SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_CERTIFICATE_REVOKED, SSL_AD_UNSUPPORTED_CERTIFICATE:
            return RabbitMQError(
                .tlsFailed,
                "\(address) does not accept the client certificate (\(Self.text(ofReason: reason))): give one that is valid and signed by an "
                    + "authority that the broker trusts")
        case SSL_AD_PROTOCOL_VERSION, SSL_AD_HANDSHAKE_FAILURE, SSL_AD_INSUFFICIENT_SECURITY:
            return RabbitMQError(
                .tlsFailed,
                "\(address) and this program have no version and cipher of TLS in common (\(Self.text(ofReason: reason))): let the broker "
                    + "take TLS 1.2 or 1.3")
        default: break
        }
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_HTTP_REQUEST:
            return RabbitMQError(
                .tlsFailed,
                "\(address) does not speak TLS: give the port of amqps (5671 as a rule), or a URL with amqp")
        // A load balancer whose broker is away accepts and closes; and a peer may have an internal error (RFC 8446,
        // section 6.2).
        case SSL_R_UNEXPECTED_EOF_WHILE_READING, SSL_AD_REASON_OFFSET + SSL_AD_INTERNAL_ERROR: return nil
        default:
            return RabbitMQError(
                .tlsFailed,
                "TLS with \(address) fails (\(Self.text(ofReason: reason))): look at the broker's log, and at its settings of TLS"
            )
        }
    }

    private func refusal(of error: CInt, _ address: BrokerAddress) -> RabbitMQError {
        let problem =
            switch error {
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                "does not name this host: use a name or an address that it was issued for"
            case X509_V_ERR_CERT_HAS_EXPIRED: "has expired: renew it, or look at this host's clock"
            case X509_V_ERR_CERT_NOT_YET_VALID: "is not valid yet: look at this host's clock"
            default:
                "is not trusted (\(String(cString: X509_verify_cert_error_string(Int(error))))): give the file of its authority (CA)"
            }
        return RabbitMQError(.tlsFailed, "the certificate of \(address) \(problem)")
    }

    private static func text(ofReason reason: CInt) -> String {
        ERR_reason_error_string(UInt(ERR_peek_last_error())).map { String(cString: $0) } ?? "reason \(reason)"
    }
}

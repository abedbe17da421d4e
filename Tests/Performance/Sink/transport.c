#include "transport.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

SSL_CTX *transport_tls(const char *certificate, const char *key) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context || SSL_CTX_use_certificate_chain_file(context, certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        ERR_print_errors_fp(stderr);
        exit(78);
    }
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    return context;
}

/// The result of SSL_read or SSL_write in the terms of recv(2) and send(2). The answers of a handshake fit into an empty socket's
/// buffer, so reading never has to wait for writing.
static ssize_t result(struct connection *connection, int count) {
    if (count > 0) return count;
    int error = SSL_get_error(connection->tls, count);
    ERR_clear_error();
    if (error == SSL_ERROR_ZERO_RETURN) return 0;
    errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
    return -1;
}

ssize_t transport_receive(struct connection *connection, void *bytes, size_t count) {
    if (!connection->tls) return recv(connection->socket, bytes, count, 0);
    return result(connection, SSL_read(connection->tls, bytes, (int)count));
}

ssize_t transport_send(struct connection *connection, const void *bytes, size_t count) {
    if (!connection->tls) return send(connection->socket, bytes, count, MSG_NOSIGNAL);
    return result(connection, SSL_write(connection->tls, bytes, (int)count));
}

ssize_t transport_discard(struct connection *connection, size_t count) {
    // TCP discards the bytes without copying them (tcp(7), MSG_TRUNC), so that the measurement is not one of the server.
    if (!connection->tls) return recv(connection->socket, NULL, count, MSG_TRUNC);
    struct loop *loop = connection->loop;
    return transport_receive(connection, loop->scratch, count < sizeof loop->scratch ? count : sizeof loop->scratch);
}

bool transport_has_pending(const struct connection *connection) {
    return connection->tls && SSL_pending(connection->tls) > 0;
}

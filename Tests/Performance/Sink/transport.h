#pragma once
#include <openssl/ssl.h>
#include <stdbool.h>
#include <sys/types.h>

#include "connection.h"

/// The server's side of TLS.
/// - Parameter certificate, key: paths of PEM files. A mistake in them ends the program.
SSL_CTX *transport_tls(const char *certificate, const char *key);

/// Like recv(2), also for TLS: -1 with EAGAIN means that nothing is there yet.
ssize_t transport_receive(struct connection *, void *bytes, size_t count);
/// Like send(2), also for TLS.
ssize_t transport_send(struct connection *, const void *bytes, size_t count);
/// Reads bytes of a body and drops them: in the kernel where they are not encrypted.
ssize_t transport_discard(struct connection *, size_t count);
/// Whether decrypted bytes wait of which the poller does not know.
bool transport_has_pending(const struct connection *);

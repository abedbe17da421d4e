#ifndef LONGSHORE_CRABBITMQ_SHIM_H
#define LONGSHORE_CRABBITMQ_SHIM_H

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <linux/sockios.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/time.h>

// Variadic in the library, and Swift cannot call variadic functions.
static inline amqp_rpc_reply_t longshore_login_plain(amqp_connection_state_t state, char const *vhost,
                                                     int channel_max, int frame_max, int heartbeat,
                                                     const amqp_table_t *properties, char const *user,
                                                     char const *password) {
  return amqp_login_with_properties(state, vhost, channel_max, frame_max, heartbeat, properties,
                                    AMQP_SASL_METHOD_PLAIN, user, password);
}

// The flags are an enum that is not imported as an Int32.
static inline int longshore_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Variadic as well; pthread_setname_np is hidden behind _GNU_SOURCE. At most 15 bytes count.
static inline int longshore_name_thread(char const *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Which module owns the type's initialiser depends on the imports.
static inline struct timeval longshore_timeval(long seconds, long microseconds) {
  struct timeval value = {seconds, microseconds};
  return value;
}

// Records why a certificate is refused, at the place that the context's owner set: the library only says that it was.
static int longshore_note_certificate(int holds, X509_STORE_CTX *store) {
  if (!holds) {
    SSL *ssl = (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    int *error = (int *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));
    if (error) *error = X509_STORE_CTX_get_error(store);
  }
  return holds;
}

// Has a socket's handshake verify the peer's certificate, and that it names the host, which may be an IP address (the
// library compares names only). Returns 0 if the host is neither a name nor an address.
static inline int longshore_verify(amqp_socket_t *socket, char const *host, int verifies_host, int *error) {
  SSL_CTX *context = (SSL_CTX *)amqp_ssl_socket_get_context(socket);
  SSL_CTX_set_app_data(context, error);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, longshore_note_certificate);
  ERR_clear_error();
  if (!verifies_host) return 1;
  X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host)) return 1;
  X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(parameters, host, 0);
}

// Macros of OpenSSL. The last TLS error on this thread; 0 if there was none, as when the peer closed the socket.
static inline int longshore_tls_reason(void) {
  unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
}

#endif

#ifndef LONGSHORE_CRABBITMQ_SHIM_H
#define LONGSHORE_CRABBITMQ_SHIM_H

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <linux/sockios.h>
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

// The flags are an enum that does not import as an Int32.
static inline int longshore_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Variadic as well; pthread_setname_np is hidden behind _GNU_SOURCE. At most 15 bytes count.
static inline int longshore_name_thread(char const *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// Which module owns the type's initialiser depends on the imports.
static inline struct timeval longshore_timeval(long seconds, long microseconds) {
  struct timeval value = {seconds, microseconds};
  return value;
}

#endif

#ifndef LONGSHORE_CPOSTGRESQL_SHIM_H
#define LONGSHORE_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <sys/eventfd.h>

// The flags are an enum that is not imported as an Int32.
static inline int longshore_postgresql_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif

#include "CVersion.h"

#ifndef LONGSHORE_COMMIT
#define LONGSHORE_COMMIT ""
#endif

const char *longshore_commit(void) { return LONGSHORE_COMMIT; }

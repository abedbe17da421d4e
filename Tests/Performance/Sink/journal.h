#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum operation {
    PUT_OBJECT, HEAD_OBJECT, DELETE_OBJECT, LIST_OBJECTS, CREATE_UPLOAD, UPLOAD_PART, COMPLETE_UPLOAD, ABORT_UPLOAD,
    LIST_PARTS, LIST_UPLOADS, BUCKET, WEBHOOK, REFUSED, OPERATION_COUNT
};

/// One request and its answer. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share; 0
/// where it did not come to that.
struct exchange {
    enum operation operation;
    uint64_t connection;
    char key[120];
    int part, status;
    /// Of the body, that have arrived.
    uint64_t bytes;
    /// When the connection was made, the head was there, the first and the last byte of the body came, the answer went.
    uint64_t connected, head, first, last, answered;
};

uint64_t now(void);
/// Counts it, and keeps it until so many others have come.
/// - Parameter exchange: with `answered` 0 where the client went away before.
void journal_add(const struct exchange *);
void journal_connected(void);
/// All that is counted, as JSON.
void journal_stats(struct text *);
/// The exchanges that are kept, the oldest first, one JSON array a line: operation, connection, key, part, status,
/// bytes, connected, head, first, last, answered.
void journal_log(struct text *);
void journal_reset(void);

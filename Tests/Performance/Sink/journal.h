#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "text.h"

enum operation {
    PUT_OBJECT, HEAD_OBJECT, DELETE_OBJECT, LIST_OBJECTS, CREATE_UPLOAD, UPLOAD_PART, COMPLETE_UPLOAD, ABORT_UPLOAD,
    LIST_PARTS, LIST_UPLOADS, BUCKET, WEBHOOK, REFUSED, OPERATION_COUNT
};

/// One request and its answer. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share; 0
/// for a step that did not happen.
struct exchange {
    enum operation operation;
    uint64_t connection;
    char key[120];
    int part, status;
    /// The bytes of the body that have arrived.
    uint64_t bytes;
    /// When the connection was made, the head arrived, the first and the last byte of the body arrived, the answer was sent.
    uint64_t connected, head, first, last, answered;
};

uint64_t now(void);
/// Counts the exchange, and keeps it until the journal is full of later ones.
/// - Parameter exchange: `answered` is 0 if the client closed the connection before.
void journal_add(const struct exchange *);
void journal_connected(void);
/// Counts an answer that begins (1) or ends (-1) to wait for the latency to pass.
void journal_waits(int change);
/// The number of answers that wait.
long journal_waiting(void);
/// All counts, as JSON.
void journal_stats(struct text *);
/// The exchanges in the journal, the oldest first, one JSON array a line: operation, connection, key, part, status,
/// bytes, connected, head, first, last, answered.
void journal_log(struct text *);
void journal_reset(void);

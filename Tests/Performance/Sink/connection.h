#pragma once
#include "chunks.h"
#include "journal.h"
#include "request.h"
#include "text.h"

enum { INPUT_BYTES = 64 << 10 };

/// A thread's own: nothing here is touched by another.
struct loop {
    int poller;
    /// Those whose answers wait for the latency to pass, the first due first: it is the same for all.
    struct connection *first_delayed, *last_delayed;
    char scratch[256 << 10];
};

struct connection {
    enum { READING_HEAD, READING_BODY, DELAYED, WRITING } phase;
    int socket;
    struct loop *loop;
    /// What came and is not dealt with: first the head of the request, for as long as it is worked on.
    char input[INPUT_BYTES + 1];
    size_t input_count, head_count;
    struct request request;
    uint64_t body_left;
    struct chunks chunks;
    struct exchange exchange;
    uint64_t id, connected;
    struct text answer;
    size_t written;
    uint64_t due;
    struct connection *previous, *next;
};

struct connection *connection_open(struct loop *, int socket);
/// Goes on as far as it goes without waiting; may close the connection.
void connection_run(struct connection *);
void connection_close(struct connection *);
/// Sends what is due.
/// - Returns: nanoseconds until the next is; UINT64_MAX for never.
uint64_t loop_send_due(struct loop *);

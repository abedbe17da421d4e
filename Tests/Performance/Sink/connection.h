#pragma once
#include <openssl/ssl.h>

#include "chunks.h"
#include "journal.h"
#include "request.h"
#include "text.h"

enum { INPUT_BYTES = 64 << 10 };

/// The state of one thread; no other thread uses it.
struct loop {
    int poller;
    /// The connections whose answers wait for the latency to pass, the first due first: the latency is the same for all.
    struct connection *first_delayed, *last_delayed;
    char scratch[256 << 10];
};

struct connection {
    enum { READING_HEAD, READING_BODY, DELAYED, WRITING } phase;
    int socket;
    /// NULL where bytes are not encrypted.
    SSL *tls;
    struct loop *loop;
    /// The bytes that have arrived and are not handled yet: first the head of the request, while it is handled.
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

/// - Parameter tls: NULL where bytes are not encrypted.
struct connection *connection_open(struct loop *, int socket, SSL_CTX *tls);
/// Runs the connection as far as possible without waiting; may close it.
void connection_run(struct connection *);
void connection_close(struct connection *);
/// Sends the answers that are due.
/// - Returns: the nanoseconds until the next answer is due; UINT64_MAX for never.
uint64_t loop_send_due(struct loop *);

#define _GNU_SOURCE
#include "connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer.h"
#include "transport.h"

enum {
    /// The most bytes that the kernel discards in one call, and the calls before other connections have their turn.
    DISCARD_BYTES = 4 << 20,
    TURN_CALLS = 16,
    /// The bytes of a large body that must have arrived to be worth a call.
    WAKING_BYTES = 512 << 10,
};

static void wait_for(struct connection *connection, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    epoll_ctl(connection->loop->poller, EPOLL_CTL_MOD, connection->socket, &event);
}

struct connection *connection_open(struct loop *loop, int socket, SSL_CTX *tls) {
    static _Atomic uint64_t last;
    int one = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) abort();
    connection->socket = socket;
    connection->loop = loop;
    if (tls) {
        connection->tls = SSL_new(tls);
        if (!connection->tls || SSL_set_fd(connection->tls, socket) != 1) abort();
        SSL_set_accept_state(connection->tls);
    }
    connection->id = atomic_fetch_add(&last, 1) + 1;
    connection->connected = now();
    journal_connected();
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    epoll_ctl(loop->poller, EPOLL_CTL_ADD, socket, &event);
    return connection;
}

static void leave_delayed(struct connection *connection) {
    journal_waits(-1);
    struct loop *loop = connection->loop;
    *(connection->previous ? &connection->previous->next : &loop->first_delayed) = connection->next;
    *(connection->next ? &connection->next->previous : &loop->last_delayed) = connection->previous;
    connection->previous = connection->next = NULL;
}

void connection_close(struct connection *connection) {
    if (connection->phase == DELAYED) leave_delayed(connection);
    if (connection->phase == READING_BODY) { // its client is gone in the middle
        struct exchange *exchange = &connection->exchange;
        const struct request *request = &connection->request;
        bool is_part = request_parameter(request, "uploadId") && request_parameter(request, "partNumber");
        exchange->operation = is_part ? UPLOAD_PART : PUT_OBJECT;
        exchange->part = is_part ? atoi(request_parameter(request, "partNumber")) : 0;
        exchange->answered = 0;
        journal_add(exchange);
    }
    if (connection->tls) SSL_free(connection->tls);
    close(connection->socket);
    text_free(&connection->answer);
    free(connection);
}

/// - Returns: whether the connection can continue; otherwise it waits, or is closed.
static bool write_answer(struct connection *connection) {
    while (connection->written < connection->answer.count) {
        ssize_t count = transport_send(connection, connection->answer.bytes + connection->written,
            connection->answer.count - connection->written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) {
            connection->phase = WRITING;
            wait_for(connection, EPOLLOUT);
            return false;
        }
        if (count < 0) {
            connection_close(connection);
            return false;
        }
        connection->written += (size_t)count;
    }
    if (connection->phase != READING_BODY) wait_for(connection, EPOLLIN);
    if (connection->exchange.operation != OPERATION_COUNT) {
        connection->exchange.answered = now();
        journal_add(&connection->exchange);
    }
    connection->phase = READING_HEAD;
    if (connection->request.closes) {
        connection_close(connection);
        return false;
    }
    memmove(connection->input, connection->input + connection->head_count,
        connection->input_count - connection->head_count);
    connection->input_count -= connection->head_count;
    connection->head_count = 0;
    return true;
}

/// With a knee at N, so many answers in a second come from n that wait: n / latency up to N, then fewer, down to a fifth of the most.
static uint64_t latency(void) {
    double count = (double)journal_waiting() + 1, knee = answer_knee;
    if (!knee || count <= knee) return answer_latency;
    double share = 1 - (count - knee) / knee / 2;
    return (uint64_t)((double)answer_latency * count / knee / (share > .2 ? share : .2));
}

static bool answer(struct connection *connection) {
    const struct request *request = &connection->request;
    text_clear(&connection->answer);
    connection->written = 0;
    bool is_admin = strcmp(request->bucket, "-") == 0;
    (is_admin ? admin_answer : s3_answer)(request, &connection->exchange, &connection->answer);
    uint64_t delay = is_admin ? 0 : latency();
    if (!delay) return write_answer(connection);
    connection->due = now() + delay;
    connection->phase = DELAYED;
    journal_waits(1);
    struct loop *loop = connection->loop;
    // In the order of their times.
    struct connection *before = loop->last_delayed;
    while (before && before->due > connection->due) before = before->previous;
    connection->previous = before;
    connection->next = before ? before->next : loop->first_delayed;
    *(before ? &before->next : &loop->first_delayed) = connection;
    *(connection->next ? &connection->next->previous : &loop->last_delayed) = connection;
    wait_for(connection, EPOLLRDHUP);
    return false;
}

uint64_t loop_send_due(struct loop *loop) {
    while (loop->first_delayed) {
        struct connection *connection = loop->first_delayed;
        uint64_t time = now();
        if (connection->due > time) return connection->due - time;
        leave_delayed(connection);
        connection->phase = WRITING;
        if (write_answer(connection)) connection_run(connection);
    }
    return UINT64_MAX;
}

/// - Returns: whether bytes arrived; otherwise the connection waits, or is closed.
static bool has_come(struct connection *connection, ssize_t count) {
    if (count > 0) return true;
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) connection_close(connection);
    return false;
}

static bool read_head(struct connection *connection) {
    char *end;
    while (!(end = memmem(connection->input, connection->input_count, "\r\n\r\n", 4))) {
        size_t room = INPUT_BYTES - connection->input_count;
        if (!room) {
            connection_close(connection);
            return false;
        }
        ssize_t count = transport_receive(connection, connection->input + connection->input_count, room);
        if (!has_come(connection, count)) return false;
        connection->input_count += (size_t)count;
    }
    connection->head_count = (size_t)(end - connection->input) + 4;
    struct request *request = &connection->request;
    if (!request_read(request, connection->input, connection->head_count)) {
        connection_close(connection);
        return false;
    }
    connection->exchange = (struct exchange){
        .connection = connection->id, .connected = connection->connected, .head = now()};
    snprintf(connection->exchange.key, sizeof connection->exchange.key, "%.*s",
        (int)sizeof connection->exchange.key - 1, request->key);
    connection->body_left = request->content_bytes;
    connection->chunks = (struct chunks){0};
    connection->phase = READING_BODY;
    if (request->expects_continue && connection->input_count == connection->head_count)
        transport_send(connection, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    return true;
}

static void body_came(struct connection *connection, uint64_t count) {
    struct exchange *exchange = &connection->exchange;
    exchange->last = now();
    if (!exchange->first) exchange->first = exchange->last;
    exchange->bytes += count;
}

/// Sets the number of bytes from which the socket counts as readable (socket(7), SO_RCVLOWAT): this halves the sink's cost.
static void wake_after(struct connection *connection, int bytes) {
    setsockopt(connection->socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

/// Takes the body's bytes that arrived together with the head.
static void take_body_from_input(struct connection *connection) {
    char *bytes = connection->input + connection->head_count;
    size_t count = connection->input_count - connection->head_count;
    if (!count) return;
    size_t taken;
    if (connection->request.is_chunked) {
        taken = chunks_read(&connection->chunks, bytes, count);
    } else {
        taken = count < connection->body_left ? count : (size_t)connection->body_left;
        connection->body_left -= taken;
    }
    if (!taken) return;
    memmove(bytes, bytes + taken, count - taken);
    connection->input_count -= taken;
    body_came(connection, taken);
}

static bool read_body(struct connection *connection) {
    bool is_new = !connection->exchange.first;
    take_body_from_input(connection);
    if (is_new && connection->body_left > 2 * WAKING_BYTES) wake_after(connection, WAKING_BYTES);
    int calls = 0;
    while (connection->request.is_chunked ? connection->chunks.place != CHUNKS_DONE : connection->body_left > 0) {
        if (calls++ >= TURN_CALLS && !transport_has_pending(connection)) return false;
        ssize_t count;
        if (connection->request.is_chunked) {
            struct loop *loop = connection->loop;
            count = transport_receive(connection, loop->scratch, sizeof loop->scratch);
            if (!has_come(connection, count)) return false;
            size_t taken = chunks_read(&connection->chunks, loop->scratch, (size_t)count);
            body_came(connection, taken);
            size_t rest = (size_t)count - taken; // the beginning of the next request
            if (rest > INPUT_BYTES - connection->input_count) rest = INPUT_BYTES - connection->input_count;
            memcpy(connection->input + connection->input_count, loop->scratch + taken, rest);
            connection->input_count += rest;
        } else {
            size_t wanted = connection->body_left < DISCARD_BYTES ? (size_t)connection->body_left : DISCARD_BYTES;
            count = transport_discard(connection, wanted);
            if (!has_come(connection, count)) return false;
            bool was_large = connection->body_left > 2 * WAKING_BYTES;
            connection->body_left -= (uint64_t)count;
            if (was_large && connection->body_left <= 2 * WAKING_BYTES) wake_after(connection, 1);
            body_came(connection, (uint64_t)count);
        }
    }
    if (connection->request.is_chunked) connection->exchange.bytes = connection->chunks.content_bytes;
    return true;
}

void connection_run(struct connection *connection) {
    if (connection->phase == WRITING && !write_answer(connection)) return;
    if (connection->phase == DELAYED) { // nothing else is asked for: its client is gone
        connection_close(connection);
        return;
    }
    while (true) {
        if (connection->phase == READING_HEAD && !read_head(connection)) return;
        if (!read_body(connection)) return;
        if (!answer(connection)) return;
        // Most clients wait for the answer: to look again would be in vain.
        if (!connection->input_count && !transport_has_pending(connection)) return;
    }
}

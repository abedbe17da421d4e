// A server that speaks as much S3 as clients need for uploads and discards the bytes, for measuring the clients.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "answer.h"
#include "connection.h"
#include "store.h"
#include "transport.h"

enum { THREADS_MAXIMUM = 16, EVENTS_AT_ONCE = 64 };

static struct loop *loops[THREADS_MAXIMUM];
static int thread_count = 2;

/// A socket that listens.
struct listener {
    int socket;
    /// NULL where bytes are not encrypted.
    SSL_CTX *tls;
};

static struct listener plain, encrypted;

static void usage(int status) {
    fputs(
        "sink [--port N] [--threads N] [--latency MS] [--objects N] [--certificate FILE --key FILE]\n"
        "Listens on 127.0.0.1 (a free port if left out) and prints the port; with a certificate it listens\n"
        "with TLS, too, on a free port, and prints that port on the next line.\n"
        "  --latency  every answer waits so long, without holding up others\n"
        "  --objects  the oldest are forgotten beyond so many (1000000)\n"
        "GET /-/stats, GET /-/log, POST /-/reset, POST /-/latency?ms=N, POST /-/webhook,\n"
        "POST /-/latency?ms=N&knee=N: beyond so many requests at once, the more there are, the fewer are answered\n"
        "POST /-/rate?perSecond=N: more requests to S3 are answered 503 SlowDown; POST /-/rate ends it\n"
        "POST /-/refuse?status=N&code=NAME: requests to S3 are answered so; POST /-/refuse ends it\n",
        status ? stderr : stdout);
    exit(status);
}

static void accept_all(const struct listener *listener) {
    static unsigned turn;
    int socket;
    while ((socket = accept4(listener->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
        connection_open(loops[turn++ % (unsigned)thread_count], socket, listener->tls);
}

static void *run(void *argument) {
    struct loop *loop = argument;
    struct epoll_event events[EVENTS_AT_ONCE];
    while (true) {
        uint64_t wait = loop_send_due(loop);
        struct timespec time = {(time_t)(wait / 1000000000), (long)(wait % 1000000000)};
        int count = epoll_pwait2(loop->poller, events, EVENTS_AT_ONCE, wait == UINT64_MAX ? NULL : &time, NULL);
        for (int index = 0; index < count; index++) {
            void *of = events[index].data.ptr;
            if (of == &plain || of == &encrypted) accept_all(of);
            else connection_run(of);
        }
    }
    return NULL;
}

static int listen_on(int port) {
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(socket_, (struct sockaddr *)&address, sizeof address) != 0 || listen(socket_, 1024) != 0) {
        fprintf(stderr, "sink: cannot listen on 127.0.0.1:%d: %s\n", port, strerror(errno));
        exit(69);
    }
    socklen_t count = sizeof address;
    getsockname(socket_, (struct sockaddr *)&address, &count);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return socket_;
}

static void watch(struct listener *listener) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
    epoll_ctl(loops[0]->poller, EPOLL_CTL_ADD, listener->socket, &event);
}

int main(int count, char **arguments) {
    int port = 0;
    const char *certificate = NULL, *key = NULL;
    for (int index = 1; index < count; index += 2) {
        if (strcmp(arguments[index], "--help") == 0) usage(0);
        if (index + 1 == count) usage(64);
        const char *name = arguments[index], *value = arguments[index + 1];
        if (strcmp(name, "--port") == 0) port = atoi(value);
        else if (strcmp(name, "--threads") == 0) thread_count = atoi(value);
        else if (strcmp(name, "--latency") == 0) answer_latency = (uint64_t)(strtod(value, NULL) * 1e6);
        else if (strcmp(name, "--objects") == 0) store_objects_maximum = strtoull(value, NULL, 10);
        else if (strcmp(name, "--certificate") == 0) certificate = value;
        else if (strcmp(name, "--key") == 0) key = value;
        else usage(64);
    }
    if (!certificate != !key || thread_count < 1 || thread_count > THREADS_MAXIMUM || store_objects_maximum < 1) usage(64);
    signal(SIGPIPE, SIG_IGN);
    plain.socket = listen_on(port);
    if (certificate) encrypted = (struct listener){listen_on(0), transport_tls(certificate, key)};
    for (int index = 0; index < thread_count; index++) {
        loops[index] = calloc(1, sizeof *loops[index]);
        if (!loops[index]) abort();
        loops[index]->poller = epoll_create1(EPOLL_CLOEXEC);
    }
    watch(&plain);
    if (certificate) watch(&encrypted);
    for (int index = 1; index < thread_count; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, loops[index]) != 0) abort();
    }
    run(loops[0]);
}

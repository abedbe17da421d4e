// raw PORT CONNECTIONS BYTES COUNT: sends COUNT bodies of BYTES bytes over CONNECTIONS connections, each of which waits for the
// answer before it sends the next, and does nothing else. Its rate is the limit that the machine and the sink set.
//
// Prints the elapsed seconds and the processor's seconds.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

enum { WRITE_BYTES = 1 << 20, CONNECTIONS_MAXIMUM = 256 };

static int port, connections;
static size_t body_bytes;
static _Atomic long left;
static char zeros[WRITE_BYTES];

static void fail(const char *what) {
    perror(what);
    exit(74);
}

static void write_all(int socket, struct iovec *vectors, int count) {
    while (count) {
        ssize_t written = writev(socket, vectors, count);
        if (written < 0) fail("raw: write");
        while (count && (size_t)written >= vectors->iov_len) {
            written -= (ssize_t)vectors->iov_len;
            vectors++;
            count--;
        }
        if (!count) break;
        vectors->iov_base = (char *)vectors->iov_base + written;
        vectors->iov_len -= (size_t)written;
    }
}

static void put(int socket, const char *head, size_t head_bytes) {
    size_t first = body_bytes < WRITE_BYTES ? body_bytes : WRITE_BYTES;
    struct iovec vectors[] = {{(char *)head, head_bytes}, {zeros, first}};
    write_all(socket, vectors, 2);
    for (size_t sent = first; sent < body_bytes;) {
        size_t some = body_bytes - sent < WRITE_BYTES ? body_bytes - sent : WRITE_BYTES;
        struct iovec rest = {zeros, some};
        write_all(socket, &rest, 1);
        sent += some;
    }
    char answer[1024];
    ssize_t count = recv(socket, answer, sizeof answer, 0);
    if (count < 12 || memcmp(answer + 9, "200", 3) != 0) fail("raw: the sink's answer");
}

static void *run(void *argument) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int client = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (connect(client, (struct sockaddr *)&address, sizeof address) != 0) fail("raw: connect");
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char head[128];
    int count = snprintf(head, sizeof head, "PUT /bench/raw-%ld HTTP/1.1\r\nHost: sink\r\nContent-Length: %zu\r\n\r\n",
        (long)argument, body_bytes);
    while (atomic_fetch_sub(&left, 1) > 0) put(client, head, (size_t)count);
    return NULL;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) return fputs("raw PORT CONNECTIONS BYTES COUNT\n", stderr), 64;
    port = atoi(arguments[1]);
    connections = atoi(arguments[2]);
    body_bytes = strtoul(arguments[3], NULL, 10);
    left = atol(arguments[4]);
    if (connections < 1 || connections > CONNECTIONS_MAXIMUM) return 64;
    double began = seconds();
    pthread_t threads[CONNECTIONS_MAXIMUM];
    for (long index = 0; index < connections; index++)
        if (pthread_create(&threads[index], NULL, run, (void *)index) != 0) fail("raw: thread");
    for (int index = 0; index < connections; index++) pthread_join(threads[index], NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%f %f\n", seconds() - began,
        (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
            (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

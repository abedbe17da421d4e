#include "journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { KEPT_COUNT = 1 << 18 };

static const char *const names[OPERATION_COUNT] = {
    "putObject", "headObject", "deleteObject", "listObjects", "createUpload", "uploadPart", "completeUpload",
    "abortUpload", "listParts", "listUploads", "bucket", "webhook", "refused"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct exchange kept[KEPT_COUNT];
static uint64_t added;
static struct {
    uint64_t count, failed, cut, bytes, first_head, last_answered;
} totals[OPERATION_COUNT];
static uint64_t connections;
static long waiting;

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void journal_add(const struct exchange *exchange) {
    pthread_mutex_lock(&lock);
    kept[added++ % KEPT_COUNT] = *exchange;
    typeof(&totals[0]) total = &totals[exchange->operation];
    total->bytes += exchange->bytes;
    if (!exchange->answered) total->cut++;
    else if (exchange->status >= 400) total->failed++;
    else total->count++;
    if (!total->first_head || exchange->head < total->first_head) total->first_head = exchange->head;
    if (exchange->answered > total->last_answered) total->last_answered = exchange->answered;
    pthread_mutex_unlock(&lock);
}

void journal_connected(void) {
    pthread_mutex_lock(&lock);
    connections++;
    pthread_mutex_unlock(&lock);
}

void journal_waits(int change) {
    pthread_mutex_lock(&lock);
    waiting += change;
    pthread_mutex_unlock(&lock);
}

long journal_waiting(void) {
    pthread_mutex_lock(&lock);
    long count = waiting;
    pthread_mutex_unlock(&lock);
    return count;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

void journal_stats(struct text *text) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    pthread_mutex_lock(&lock);
    text_format(text,
        "{\"connections\":%lu,\"waiting\":%ld,\"cpuSeconds\":%.3f,\"residentKiB\":%ld,\"now\":%lu,\"operations\":{",
        connections, waiting, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, now());
    for (int index = 0; index < OPERATION_COUNT; index++) {
        text_format(text,
            "%s\"%s\":{\"count\":%lu,\"failed\":%lu,\"cut\":%lu,\"bytes\":%lu,\"firstHead\":%lu,\"lastAnswered\":%lu}",
            index ? "," : "", names[index], totals[index].count, totals[index].failed, totals[index].cut,
            totals[index].bytes, totals[index].first_head, totals[index].last_answered);
    }
    pthread_mutex_unlock(&lock);
    text_format(text, "}}\n");
}

void journal_log(struct text *text) {
    pthread_mutex_lock(&lock);
    for (uint64_t index = added > KEPT_COUNT ? added - KEPT_COUNT : 0; index < added; index++) {
        const struct exchange *exchange = &kept[index % KEPT_COUNT];
        text_format(text, "[\"%s\",%lu,\"", names[exchange->operation], exchange->connection);
        for (const char *character = exchange->key; *character; character++) {
            if (*character == '"' || *character == '\\') text_append(text, "\\", 1);
            text_append(text, character, 1);
        }
        text_format(text, "\",%d,%d,%lu,%lu,%lu,%lu,%lu,%lu]\n", exchange->part, exchange->status, exchange->bytes,
            exchange->connected, exchange->head, exchange->first, exchange->last, exchange->answered);
    }
    pthread_mutex_unlock(&lock);
}

void journal_reset(void) {
    pthread_mutex_lock(&lock);
    memset(totals, 0, sizeof totals);
    added = connections = 0;
    pthread_mutex_unlock(&lock);
}

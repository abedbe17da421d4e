#include "answer.h"

#include <stdlib.h>
#include <string.h>

#include "store.h"

_Atomic uint64_t answer_latency;
_Atomic int answer_knee, answer_rate;
_Atomic int answer_refused_status;
const char *_Atomic answer_refused_code;

void admin_answer(const struct request *request, struct exchange *exchange, struct text *answer) {
    struct text body = {0};
    exchange->operation = OPERATION_COUNT; // not counted
    exchange->status = 200;
    if (strcmp(request->key, "webhook") == 0) {
        exchange->operation = WEBHOOK;
        exchange->status = 204;
        answer_empty(answer, 204, "");
    } else if (strcmp(request->key, "stats") == 0) {
        journal_stats(&body);
        answer_body(answer, 200, "application/json", "", &body);
    } else if (strcmp(request->key, "log") == 0) {
        journal_log(&body);
        answer_body(answer, 200, "application/x-ndjson", "", &body);
    } else if (strcmp(request->key, "reset") == 0 && request->method == POST) {
        pthread_mutex_lock(&store_lock);
        store_reset();
        pthread_mutex_unlock(&store_lock);
        journal_reset();
        answer_empty(answer, 204, "");
    } else if (strcmp(request->key, "latency") == 0 && request->method == POST) {
        const char *milliseconds = request_parameter(request, "ms"), *knee = request_parameter(request, "knee");
        answer_latency = (uint64_t)(strtod(milliseconds ? milliseconds : "0", NULL) * 1e6);
        answer_knee = knee ? atoi(knee) : 0;
        answer_empty(answer, 204, "");
    } else if (strcmp(request->key, "rate") == 0 && request->method == POST) {
        const char *rate = request_parameter(request, "perSecond");
        answer_rate = rate ? atoi(rate) : 0;
        answer_empty(answer, 204, "");
    } else if (strcmp(request->key, "refuse") == 0 && request->method == POST) {
        const char *status = request_parameter(request, "status"), *code = request_parameter(request, "code");
        answer_refused_code = strdup(code ? code : "InternalError");
        answer_refused_status = status ? atoi(status) : 0;
        answer_empty(answer, 204, "");
    } else {
        exchange->status = 404;
        answer_empty(answer, 404, "");
    }
    text_free(&body);
}

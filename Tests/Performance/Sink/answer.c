#include "answer.h"

#include <stdatomic.h>

static const char *reason(int status) {
    switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 404: return "Not Found";
    case 412: return "Precondition Failed";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Slow Down";
    default: return "Refused";
    }
}

static void head(struct text *text, int status) {
    static _Atomic uint64_t last;
    text_format(text, "HTTP/1.1 %d %s\r\nServer: sink\r\nx-amz-request-id: %016lX\r\n", status, reason(status),
        atomic_fetch_add(&last, 1));
}

void answer_empty(struct text *text, int status, const char *fields) {
    head(text, status);
    text_format(text, "%s%s\r\n", fields, status == 204 ? "" : "Content-Length: 0\r\n");
}

void answer_body(struct text *text, int status, const char *type, const char *fields, const struct text *body) {
    head(text, status);
    text_format(text, "%sContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", fields, type, body->count);
    text_append(text, body->bytes, body->count);
}

void answer_refusal(
    struct text *text, const struct request *request, int status, const char *code, const char *message) {
    if (request->method == HEAD) { // which never has a body (RFC 9110, section 9.3.2)
        answer_empty(text, status, "");
        return;
    }
    struct text body = {0};
    text_format(&body, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>%s</Code>", code);
    text_format(&body, "<Message>%s</Message></Error>", message);
    answer_body(text, status, "application/xml", "", &body);
    text_free(&body);
}

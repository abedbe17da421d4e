#define _GNU_SOURCE
#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int digit(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

/// Decodes in place, because the decoded text is never longer.
static void decode_percent(char *text) {
    char *write = text;
    for (char *read = text; *read; read++) {
        if (*read == '%' && digit(read[1]) >= 0 && digit(read[2]) >= 0) {
            *write++ = (char)(digit(read[1]) * 16 + digit(read[2]));
            read += 2;
        } else {
            *write++ = *read;
        }
    }
    *write = 0;
}

static enum method method_named(const char *name) {
    static const char *const names[] = {"GET", "HEAD", "PUT", "POST", "DELETE"};
    for (int index = 0; index < OTHER; index++)
        if (strcmp(name, names[index]) == 0) return (enum method)index;
    return OTHER;
}

static void read_parameters(struct request *request, char *query) {
    char *rest = query, *item;
    while ((item = strsep(&rest, "&")) && request->parameter_count < PARAMETERS_MAXIMUM) {
        char *value = strchr(item, '=');
        if (value) *value++ = 0;
        if (value) decode_percent(value);
        decode_percent(item);
        request->parameters[request->parameter_count++] = (struct field){item, value ? value : ""};
    }
}

/// Reads `/bucket/key?query`, the only style of address that works on loopback.
static bool read_target(struct request *request, char *target) {
    if (*target != '/') return false;
    char *query = strchr(target, '?');
    if (query) {
        *query++ = 0;
        read_parameters(request, query);
    }
    char *bucket = target + 1, *key = strchr(bucket, '/');
    if (key) *key++ = 0;
    decode_percent(bucket);
    if (key) decode_percent(key);
    if (strlen(bucket) >= sizeof request->bucket || (key && strlen(key) >= sizeof request->key)) return false;
    strcpy(request->bucket, bucket);
    strcpy(request->key, key ? key : "");
    return true;
}

static void read_field(struct request *request, char *line) {
    char *value = strchr(line, ':');
    if (!value || request->field_count == FIELDS_MAXIMUM) return;
    *value++ = 0;
    while (*value == ' ' || *value == '\t') value++;
    request->fields[request->field_count++] = (struct field){line, value};
    if (strcasecmp(line, "content-length") == 0) request->content_bytes = strtoull(value, NULL, 10);
    else if (strcasecmp(line, "transfer-encoding") == 0) request->is_chunked = strcasestr(value, "chunked");
    else if (strcasecmp(line, "expect") == 0) request->expects_continue = strcasestr(value, "100-continue");
    else if (strcasecmp(line, "connection") == 0) request->closes = strcasecmp(value, "close") == 0;
}

bool request_read(struct request *request, char *head, size_t count) {
    request->field_count = request->parameter_count = 0;
    request->content_bytes = 0;
    request->is_chunked = request->expects_continue = request->closes = false;
    head[count - 2] = 0;
    char *rest = head, *line = strsep(&rest, "\n");
    char *target = strchr(line, ' ');
    if (!target) return false;
    *target++ = 0;
    char *version = strchr(target, ' ');
    if (!version) return false;
    *version = 0;
    request->method = method_named(line);
    while ((line = strsep(&rest, "\n")) && *line) {
        line[strcspn(line, "\r")] = 0;
        read_field(request, line);
    }
    return read_target(request, target);
}

const char *request_field(const struct request *request, const char *name) {
    for (size_t index = 0; index < request->field_count; index++)
        if (strcasecmp(request->fields[index].name, name) == 0) return request->fields[index].value;
    return NULL;
}

const char *request_parameter(const struct request *request, const char *name) {
    for (size_t index = 0; index < request->parameter_count; index++)
        if (strcmp(request->parameters[index].name, name) == 0) return request->parameters[index].value;
    return NULL;
}

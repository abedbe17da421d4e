#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct text *text, size_t more) {
    if (text->count + more <= text->capacity) return;
    size_t capacity = text->capacity ? text->capacity : 1024;
    while (capacity < text->count + more) capacity *= 2;
    text->bytes = realloc(text->bytes, capacity);
    if (!text->bytes) abort();
    text->capacity = capacity;
}

void text_append(struct text *text, const char *bytes, size_t count) {
    reserve(text, count);
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
}

void text_format(struct text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    reserve(text, 256);
    size_t room = text->capacity - text->count;
    int needed = vsnprintf(text->bytes + text->count, room, format, arguments);
    if (needed >= 0 && (size_t)needed >= room) {
        reserve(text, (size_t)needed + 1);
        needed = vsnprintf(text->bytes + text->count, (size_t)needed + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    if (needed > 0) text->count += (size_t)needed;
}

void text_escape(struct text *text, const char *value) {
    for (; *value; value++) {
        switch (*value) {
        case '&': text_append(text, "&amp;", 5); break;
        case '<': text_append(text, "&lt;", 4); break;
        case '>': text_append(text, "&gt;", 4); break;
        case '"': text_append(text, "&quot;", 6); break;
        default: text_append(text, value, 1);
        }
    }
}

void text_clear(struct text *text) { text->count = 0; }

void text_free(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}

#pragma once
#include <stdarg.h>
#include <stddef.h>

/// Bytes that grow. Nothing in it is ever shared between threads.
struct text {
    char *bytes;
    size_t count, capacity;
};

void text_append(struct text *, const char *bytes, size_t count);
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Appends what XML takes for a character's data.
void text_escape(struct text *, const char *value);
/// Forgets the bytes and keeps the room.
void text_clear(struct text *);
void text_free(struct text *);

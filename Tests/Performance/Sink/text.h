#pragma once
#include <stdarg.h>
#include <stddef.h>

/// A growing buffer of bytes, never shared between threads.
struct text {
    char *bytes;
    size_t count, capacity;
};

void text_append(struct text *, const char *bytes, size_t count);
void text_format(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Appends the value with the escapes that XML needs in character data.
void text_escape(struct text *, const char *value);
/// Removes the bytes and keeps the memory.
void text_clear(struct text *);
void text_free(struct text *);

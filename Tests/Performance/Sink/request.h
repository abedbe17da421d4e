#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum method { GET, HEAD, PUT, POST, DELETE, OTHER };

enum {
    FIELDS_MAXIMUM = 64,
    PARAMETERS_MAXIMUM = 16,
    BUCKET_BYTES_MAXIMUM = 64,
    /// "Object key names", Amazon S3 User Guide: 1024 bytes of UTF-8.
    KEY_BYTES_MAXIMUM = 1025,
};

/// A name and a value, both ended by zero, in the bytes of the request.
struct field {
    char *name, *value;
};

/// The head of a request. What it points to lives as long as the bytes that it was read from.
struct request {
    enum method method;
    char bucket[BUCKET_BYTES_MAXIMUM], key[KEY_BYTES_MAXIMUM];
    struct field fields[FIELDS_MAXIMUM], parameters[PARAMETERS_MAXIMUM];
    size_t field_count, parameter_count;
    uint64_t content_bytes;
    bool is_chunked, expects_continue, closes;
};

/// Reads a head in place.
/// - Parameter count: up to and with the empty line.
/// - Returns: whether it is one.
bool request_read(struct request *, char *head, size_t count);

/// NULL where there is none. Names of header fields are compared without case.
const char *request_field(const struct request *, const char *name);
/// NULL where there is none, "" where it has no value.
const char *request_parameter(const struct request *, const char *name);

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

/// The head of a request. Its pointers are valid as long as the bytes from which it was read.
struct request {
    enum method method;
    char bucket[BUCKET_BYTES_MAXIMUM], key[KEY_BYTES_MAXIMUM];
    struct field fields[FIELDS_MAXIMUM], parameters[PARAMETERS_MAXIMUM];
    size_t field_count, parameter_count;
    uint64_t content_bytes;
    bool is_chunked, expects_continue, closes;
};

/// Reads a head in place.
/// - Parameter count: the bytes of the head, with the empty line.
/// - Returns: whether the head is valid.
bool request_read(struct request *, char *head, size_t count);

/// The value of a header field; NULL if there is none. Names are compared without case.
const char *request_field(const struct request *, const char *name);
/// The value of a query parameter; NULL if there is none, "" if it has no value.
const char *request_parameter(const struct request *, const char *name);

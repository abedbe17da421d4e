#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where in a body of the chunked transfer coding one is (RFC 9112, section 7.1). Zeroed, it stands at its beginning.
struct chunks {
    enum { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_END, TRAILER_START, TRAILER, CHUNKS_DONE } place;
    uint64_t left;
    /// Of the content, without its coding.
    uint64_t content_bytes;
};

/// Goes on with what has come.
/// - Returns: how many of the bytes belong to the body.
size_t chunks_read(struct chunks *, const char *bytes, size_t count);

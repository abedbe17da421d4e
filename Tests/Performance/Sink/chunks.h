#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The position in a body of the chunked transfer coding (RFC 9112, section 7.1). A zeroed one stands at the beginning.
struct chunks {
    enum { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_END, TRAILER_START, TRAILER, CHUNKS_DONE } place;
    uint64_t left;
    /// The bytes of the content, without the coding.
    uint64_t content_bytes;
};

/// Reads the bytes that have arrived.
/// - Returns: how many of them belong to the body.
size_t chunks_read(struct chunks *, const char *bytes, size_t count);

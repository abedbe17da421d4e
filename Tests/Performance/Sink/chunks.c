#include "chunks.h"

static int hexadecimal(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if (character >= 'a' && character <= 'f') return character - 'a' + 10;
    if (character >= 'A' && character <= 'F') return character - 'A' + 10;
    return -1;
}

static void size_ended(struct chunks *chunks) { chunks->place = chunks->left ? CHUNK_DATA : TRAILER_START; }

size_t chunks_read(struct chunks *chunks, const char *bytes, size_t count) {
    size_t index = 0;
    while (index < count && chunks->place != CHUNKS_DONE) {
        if (chunks->place == CHUNK_DATA) {
            size_t some = count - index < chunks->left ? count - index : (size_t)chunks->left;
            index += some;
            chunks->left -= some;
            chunks->content_bytes += some;
            if (!chunks->left) chunks->place = CHUNK_END;
            continue;
        }
        char character = bytes[index++];
        switch (chunks->place) {
        case CHUNK_SIZE:
            if (hexadecimal(character) >= 0) chunks->left = chunks->left * 16 + (uint64_t)hexadecimal(character);
            else if (character == '\n') size_ended(chunks);
            else if (character == ';') chunks->place = CHUNK_EXTENSION;
            break;
        case CHUNK_EXTENSION:
            if (character == '\n') size_ended(chunks);
            break;
        case CHUNK_END:
            if (character == '\n') chunks->place = CHUNK_SIZE;
            break;
        case TRAILER_START:
            if (character == '\n') chunks->place = CHUNKS_DONE;
            else if (character != '\r') chunks->place = TRAILER;
            break;
        case TRAILER:
            if (character == '\n') chunks->place = TRAILER_START;
            break;
        default: break;
        }
    }
    return index;
}

// Carry-less multiplication for checksums, where the processor has an instruction for it. Knows no polynomial.
#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_FOLD_STRIDE 128

// 16 bytes as two little-endian words.
typedef struct {
    uint64_t first, second;
} checksum_words;

bool checksum_can_fold(void);

// Makes 16 bytes of many that have the same remainder, for a reflected polynomial of at most 64 bits.
// `count`: a multiple of CHECKSUM_FOLD_STRIDE, and no less than that. `start` is added to the first 8 bytes.
// `by_N_bits`: what each word of 16 bytes is multiplied with so that it may stand N bits further on.
// Only where checksum_can_fold() is true.
checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                             checksum_words by_128_bits);

#endif

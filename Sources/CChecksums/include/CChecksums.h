// Carry-less multiplication for checksums, where the processor has an instruction for it. The caller chooses the polynomial.
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

// Whether 512 bits can be multiplied at once.
bool checksum_can_fold_wide(void);

// Folds many bytes into 16 that have the same remainder, for a reflected polynomial of at most 64 bits.
// `count`: a multiple of CHECKSUM_FOLD_STRIDE, and no less than that. `start` is added to the first 8 bytes.
// `by_N_bits`: the factors for the two words of 16 bytes, which move them on by N bits.
// Only where checksum_can_fold() is true.
checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                             checksum_words by_128_bits);

// The same, only where checksum_can_fold_wide() is true: some three times as fast.
checksum_words checksum_fold_wide(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                                  checksum_words by_128_bits);

#endif

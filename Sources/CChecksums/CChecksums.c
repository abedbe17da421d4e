#include "CChecksums.h"

// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Gopal and others, Intel, 2009).
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES (CHECKSUM_FOLD_STRIDE / 16)

bool checksum_can_fold(void) { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse2"); }

__attribute__((target("pclmul,sse2"))) static inline __m128i moved(__m128i value, __m128i factors, __m128i onto) {
    __m128i first = _mm_clmulepi64_si128(value, factors, 0x00);
    __m128i second = _mm_clmulepi64_si128(value, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), onto);
}

__attribute__((target("pclmul,sse2"))) checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start,
                                                                    checksum_words by_1024_bits,
                                                                    checksum_words by_128_bits) {
    const __m128i far = _mm_set_epi64x((long long)by_1024_bits.second, (long long)by_1024_bits.first);
    const __m128i near = _mm_set_epi64x((long long)by_128_bits.second, (long long)by_128_bits.first);
    const __m128i *next = bytes;
    __m128i lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = _mm_loadu_si128(next++);
    lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, (long long)start));
    for (size_t stride = 1; stride < count / CHECKSUM_FOLD_STRIDE; stride++)
        for (int lane = 0; lane < LANES; lane++) lanes[lane] = moved(lanes[lane], far, _mm_loadu_si128(next++));
    __m128i rest = lanes[0];
    for (int lane = 1; lane < LANES; lane++) rest = moved(rest, near, lanes[lane]);
    return (checksum_words){(uint64_t)_mm_cvtsi128_si64(rest), (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(rest, rest))};
}
#else
bool checksum_can_fold(void) { return false; }

checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                             checksum_words by_128_bits) {
    __builtin_trap();
}
#endif

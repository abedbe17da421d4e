#include "CChecksums.h"

// "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Gopal and others, Intel, 2009).
#if defined(__x86_64__)
#include <immintrin.h>

#define LANES (CHECKSUM_FOLD_STRIDE / 16)

#define NARROW __attribute__((target("pclmul,sse2")))
#define WIDE __attribute__((target("avx512f,vpclmulqdq")))

bool checksum_can_fold(void) { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse2"); }

bool checksum_can_fold_wide(void) {
    return checksum_can_fold() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
}

NARROW static inline __m128i factors(checksum_words words) {
    return _mm_set_epi64x((long long)words.second, (long long)words.first);
}

NARROW static inline __m128i moved(__m128i value, __m128i by, __m128i onto) {
    __m128i first = _mm_clmulepi64_si128(value, by, 0x00);
    __m128i second = _mm_clmulepi64_si128(value, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), onto);
}

NARROW static checksum_words joined(const __m128i lanes[LANES], checksum_words by_128_bits) {
    const __m128i near = factors(by_128_bits);
    __m128i rest = lanes[0];
    for (int lane = 1; lane < LANES; lane++) rest = moved(rest, near, lanes[lane]);
    return (checksum_words){(uint64_t)_mm_cvtsi128_si64(rest), (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(rest, rest))};
}

NARROW checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                                    checksum_words by_128_bits) {
    const __m128i far = factors(by_1024_bits);
    const __m128i *next = bytes;
    __m128i lanes[LANES];
    for (int lane = 0; lane < LANES; lane++) lanes[lane] = _mm_loadu_si128(next++);
    lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, (long long)start));
    for (size_t stride = 1; stride < count / CHECKSUM_FOLD_STRIDE; stride++)
        for (int lane = 0; lane < LANES; lane++) lanes[lane] = moved(lanes[lane], far, _mm_loadu_si128(next++));
    return joined(lanes, by_128_bits);
}

// The same for four lanes at once.
WIDE static inline __m512i moved_wide(__m512i value, __m512i by, __m512i onto) {
    __m512i first = _mm512_clmulepi64_epi128(value, by, 0x00);
    __m512i second = _mm512_clmulepi64_epi128(value, by, 0x11);
    return _mm512_xor_si512(_mm512_xor_si512(first, second), onto);
}

WIDE checksum_words checksum_fold_wide(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                                       checksum_words by_128_bits) {
    const __m512i far = _mm512_broadcast_i32x4(factors(by_1024_bits));
    const __m512i *next = bytes;
    __m512i lanes[LANES / 4];
    for (int four = 0; four < LANES / 4; four++) lanes[four] = _mm512_loadu_si512(next++);
    lanes[0] = _mm512_xor_si512(lanes[0], _mm512_zextsi128_si512(_mm_set_epi64x(0, (long long)start)));
    for (size_t stride = 1; stride < count / CHECKSUM_FOLD_STRIDE; stride++)
        for (int four = 0; four < LANES / 4; four++) lanes[four] = moved_wide(lanes[four], far, _mm512_loadu_si512(next++));
    __m128i single[LANES];
    for (int four = 0; four < LANES / 4; four++) _mm512_storeu_si512(&single[4 * four], lanes[four]);
    return joined(single, by_128_bits);
}
#else
bool checksum_can_fold(void) { return false; }

bool checksum_can_fold_wide(void) { return false; }

checksum_words checksum_fold(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                             checksum_words by_128_bits) {
    __builtin_trap();
}

checksum_words checksum_fold_wide(const void *bytes, size_t count, uint64_t start, checksum_words by_1024_bits,
                                  checksum_words by_128_bits) {
    __builtin_trap();
}
#endif

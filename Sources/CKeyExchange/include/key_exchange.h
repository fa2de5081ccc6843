#pragma once
#include <stdint.h>

// The product of X25519 (RFC 7748, 5), under the name by which GnuTLS calls nettle for it: the dynamic linker prefers
// a program's own definition, so TLS in this program computes it with OpenSSL, which takes two thirds of the time.
// 32 bytes each. All zeros when the point is of low order, which GnuTLS refuses, or when OpenSSL fails.
// Why, and what holds it: Documentation/decisions/0007-two-crypto-libraries.md.
void nettle_curve25519_mul(uint8_t *product, const uint8_t *scalar, const uint8_t *point);

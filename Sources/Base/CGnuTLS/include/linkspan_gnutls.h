#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/pkcs12.h>
#include <gnutls/x509-ext.h>
#include <gnutls/x509.h>

// GNUTLS_CURVE_TO_BITS is a function-like macro, which Swift does not import.
static inline unsigned int linkspan_gnutls_p256_bits(void) {
  return GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
}

// gnutls_free and gnutls_malloc are global function pointers, which Swift 6 takes for shared mutable state. What a callback
// hands to the library has to come from the second.
void linkspan_gnutls_free(void *pointer);
void *linkspan_gnutls_malloc(size_t size);

// A function-like macro.
static inline gnutls_sign_algorithm_t linkspan_gnutls_sign_algorithm(unsigned int flags) {
  return (gnutls_sign_algorithm_t)GNUTLS_FLAGS_TO_SIGN_ALGO(flags);
}

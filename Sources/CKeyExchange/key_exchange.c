#include "key_exchange.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

enum { LENGTH = 32 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
// Copied for each key, since finding the algorithm by its name costs more than the copy; never changed, never freed.
static EVP_PKEY_CTX *template;

static void prepare(void) {
  // As HandshakeSigner, whoever is first: no handler at exit, no openssl.cnf.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
  template = EVP_PKEY_CTX_new_from_name(NULL, "X25519", NULL);
}

// The key of the scalar. Its public half, which no derivation reads, is left out of the computation: zeros stand there.
static EVP_PKEY *make_key(const uint8_t *scalar) {
  uint8_t unused[LENGTH] = {0};
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)scalar, LENGTH),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, unused, LENGTH),
      OSSL_PARAM_construct_end(),
  };
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = template ? EVP_PKEY_CTX_dup(template) : NULL;
  if (context && EVP_PKEY_fromdata_init(context) > 0)
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters);
  EVP_PKEY_CTX_free(context);
  return key;
}

void nettle_curve25519_mul(uint8_t *product, const uint8_t *scalar, const uint8_t *point) {
  pthread_once(&once, prepare);
  // Nettle allows the product to lie over an input.
  uint8_t result[LENGTH];
  size_t length = LENGTH;
  EVP_PKEY *key = make_key(scalar);
  EVP_PKEY *peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, point, LENGTH);
  EVP_PKEY_CTX *context = key && peer ? EVP_PKEY_CTX_new(key, NULL) : NULL;
  int done = context && EVP_PKEY_derive_init(context) > 0 && EVP_PKEY_derive_set_peer_ex(context, peer, 0) > 0 &&
             EVP_PKEY_derive(context, result, &length) > 0 && length == LENGTH;
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(peer);
  EVP_PKEY_free(key);
  if (done)
    memcpy(product, result, LENGTH);
  else {
    memset(product, 0, LENGTH);
    // Whatever failed left its reason with the thread, and nobody asks for it.
    ERR_clear_error();
  }
  OPENSSL_cleanse(result, LENGTH);
}

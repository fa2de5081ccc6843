#include "linkspan_crypto.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(ERR_clear_error) F(EVP_CIPHER_CTX_ctrl) F(EVP_CIPHER_CTX_free) F(EVP_CIPHER_CTX_new) F(EVP_CIPHER_fetch) \
  F(EVP_CIPHER_free) F(EVP_CipherFinal_ex) F(EVP_CipherInit_ex) F(EVP_CipherInit_ex2) F(EVP_CipherUpdate) \
  F(EVP_DigestFinal_ex) F(EVP_DigestInit_ex) F(EVP_DigestInit_ex2) F(EVP_DigestUpdate) F(EVP_MD_CTX_free) \
  F(EVP_MD_CTX_new) F(EVP_MD_fetch) F(EVP_MD_free) F(EVP_PBE_scrypt) F(EVP_PKEY_CTX_dup) F(EVP_PKEY_CTX_free) \
  F(EVP_PKEY_CTX_new) F(EVP_PKEY_CTX_new_from_name) F(EVP_PKEY_CTX_set_rsa_padding) \
  F(EVP_PKEY_CTX_set_rsa_pss_saltlen) F(EVP_PKEY_CTX_set_signature_md) F(EVP_PKEY_derive) F(EVP_PKEY_derive_init) \
  F(EVP_PKEY_derive_set_peer_ex) F(EVP_PKEY_free) F(EVP_PKEY_get_raw_public_key) F(EVP_PKEY_get_size) \
  F(EVP_PKEY_keygen) F(EVP_PKEY_keygen_init) F(EVP_PKEY_new_raw_public_key_ex) F(EVP_PKEY_sign) \
  F(EVP_PKEY_sign_init) F(EVP_aes_256_gcm) F(EVP_sha256) F(EVP_sha384) F(EVP_sha512) F(OPENSSL_init_crypto) \
  F(d2i_AutoPrivateKey)

LINKSPAN_LIBRARY("libcrypto.so.3", "libssl3", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)

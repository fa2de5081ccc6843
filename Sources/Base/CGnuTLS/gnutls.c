#include "linkspan_gnutls.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(gnutls_alert_get) F(gnutls_alert_get_name) F(gnutls_alert_send_appropriate) \
  F(gnutls_alpn_get_selected_protocol) F(gnutls_alpn_set_protocols) F(gnutls_bye) \
  F(gnutls_certificate_allocate_credentials) F(gnutls_certificate_free_credentials) \
  F(gnutls_certificate_get_peers) F(gnutls_certificate_server_set_request) \
  F(gnutls_certificate_set_retrieve_function3) F(gnutls_certificate_set_x509_key) \
  F(gnutls_certificate_set_x509_system_trust) F(gnutls_certificate_set_x509_trust_file) \
  F(gnutls_certificate_set_x509_trust_mem) F(gnutls_credentials_set) F(gnutls_decode_rs_value) F(gnutls_deinit) \
  F(gnutls_encode_rs_value) F(gnutls_error_is_fatal) F(gnutls_handshake) F(gnutls_hash_fast) \
  F(gnutls_hash_get_len) F(gnutls_init) F(gnutls_memset) F(gnutls_pcert_deinit) \
  F(gnutls_pcert_list_import_x509_raw) F(gnutls_pem_base64_encode2) F(gnutls_pk_algorithm_get_name) \
  F(gnutls_pkcs12_bag_decrypt) F(gnutls_pkcs12_bag_deinit) F(gnutls_pkcs12_bag_get_count) \
  F(gnutls_pkcs12_bag_get_data) F(gnutls_pkcs12_bag_get_type) F(gnutls_pkcs12_bag_init) F(gnutls_pkcs12_deinit) \
  F(gnutls_pkcs12_get_bag) F(gnutls_pkcs12_import) F(gnutls_pkcs12_init) F(gnutls_pkcs12_verify_mac) \
  F(gnutls_priority_deinit) F(gnutls_priority_init) F(gnutls_priority_set) F(gnutls_priority_set_direct) \
  F(gnutls_privkey_deinit) F(gnutls_privkey_export_x509) F(gnutls_privkey_get_pk_algorithm) \
  F(gnutls_privkey_import_ext4) F(gnutls_privkey_import_x509) F(gnutls_privkey_import_x509_raw) \
  F(gnutls_privkey_init) F(gnutls_privkey_sign_data2) F(gnutls_privkey_sign_hash2) F(gnutls_pubkey_deinit) \
  F(gnutls_pubkey_export2) F(gnutls_pubkey_get_key_id) F(gnutls_pubkey_get_pk_algorithm) F(gnutls_pubkey_import) \
  F(gnutls_pubkey_import_privkey) F(gnutls_pubkey_import_x509) F(gnutls_pubkey_init) F(gnutls_pubkey_verify_data2) \
  F(gnutls_pubkey_verify_hash2) F(gnutls_record_check_pending) F(gnutls_record_recv) F(gnutls_record_send) \
  F(gnutls_record_send2) F(gnutls_rnd) F(gnutls_server_name_get) F(gnutls_server_name_set) \
  F(gnutls_session_get_ptr) F(gnutls_session_get_verify_cert_status) F(gnutls_session_set_ptr) \
  F(gnutls_session_set_verify_cert) F(gnutls_session_set_verify_cert2) F(gnutls_strerror) \
  F(gnutls_subject_alt_names_deinit) F(gnutls_subject_alt_names_init) F(gnutls_subject_alt_names_set) \
  F(gnutls_transport_set_errno) F(gnutls_transport_set_int2) F(gnutls_transport_set_ptr) \
  F(gnutls_transport_set_ptr2) F(gnutls_transport_set_pull_function) F(gnutls_transport_set_push_function) \
  F(gnutls_transport_set_vec_push_function) F(gnutls_x509_crt_check_hostname2) F(gnutls_x509_crt_check_issuer) \
  F(gnutls_x509_crt_check_key_purpose) F(gnutls_x509_crt_deinit) F(gnutls_x509_crt_export2) \
  F(gnutls_x509_crt_get_activation_time) F(gnutls_x509_crt_get_dn3) F(gnutls_x509_crt_get_dn_by_oid) \
  F(gnutls_x509_crt_get_expiration_time) F(gnutls_x509_crt_get_extension_by_oid) F(gnutls_x509_crt_get_issuer_dn3) \
  F(gnutls_x509_crt_get_key_id) F(gnutls_x509_crt_get_key_usage) F(gnutls_x509_crt_get_pk_algorithm) \
  F(gnutls_x509_crt_get_raw_dn) F(gnutls_x509_crt_get_raw_issuer_dn) F(gnutls_x509_crt_get_serial) \
  F(gnutls_x509_crt_get_subject_alt_name) F(gnutls_x509_crt_get_subject_key_id) F(gnutls_x509_crt_import) \
  F(gnutls_x509_crt_init) F(gnutls_x509_crt_list_import2) F(gnutls_x509_crt_set_activation_time) \
  F(gnutls_x509_crt_set_basic_constraints) F(gnutls_x509_crt_set_dn_by_oid) F(gnutls_x509_crt_set_expiration_time) \
  F(gnutls_x509_crt_set_extension_by_oid) F(gnutls_x509_crt_set_key) F(gnutls_x509_crt_set_key_purpose_oid) \
  F(gnutls_x509_crt_set_key_usage) \
  F(gnutls_x509_crt_set_serial) F(gnutls_x509_crt_set_subject_alt_name) F(gnutls_x509_crt_set_version) \
  F(gnutls_x509_crt_sign2) F(gnutls_x509_crt_verify) F(gnutls_x509_ext_export_subject_alt_names) \
  F(gnutls_x509_privkey_deinit) F(gnutls_x509_privkey_export2) \
  F(gnutls_x509_privkey_export2_pkcs8) F(gnutls_x509_privkey_generate) F(gnutls_x509_privkey_get_key_id) \
  F(gnutls_x509_privkey_import2) F(gnutls_x509_privkey_import_pkcs8) F(gnutls_x509_privkey_init) \
  F(gnutls_x509_trust_list_add_system_trust) F(gnutls_x509_trust_list_add_trust_mem) \
  F(gnutls_x509_trust_list_deinit) F(gnutls_x509_trust_list_get_issuer) F(gnutls_x509_trust_list_get_issuer_by_dn) \
  F(gnutls_x509_trust_list_init) F(gnutls_x509_trust_list_verify_crt2)

#define VARIABLES(F) \
  F(gnutls_free) F(gnutls_malloc)

LINKSPAN_LIBRARY("libgnutls.so.30", "libgnutls30", 0, FUNCTIONS, VARIABLES)

void linkspan_gnutls_free(void *pointer) {
  linkspan_library_demand(&linkspan_this_library);
  (*(gnutls_free_function *)linkspan_place_gnutls_free)(pointer);
}

void *linkspan_gnutls_malloc(size_t size) {
  linkspan_library_demand(&linkspan_this_library);
  return (*(gnutls_alloc_function *)linkspan_place_gnutls_malloc)(size);
}

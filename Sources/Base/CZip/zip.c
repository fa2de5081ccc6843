#include "linkspan_zip.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(zip_discard) F(zip_error_code_zip) F(zip_error_fini) F(zip_error_init) F(zip_error_set) F(zip_error_strerror) \
  F(zip_error_to_data) F(zip_fclose) F(zip_file_get_error) F(zip_fopen_index) F(zip_fread) F(zip_get_error) \
  F(zip_get_name) F(zip_get_num_entries) F(zip_open_from_source) F(zip_source_free) F(zip_source_function_create) \
  F(zip_source_seek_compute_offset) F(zip_stat_init)

LINKSPAN_LIBRARY("libzip.so.4", "libzip4", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)

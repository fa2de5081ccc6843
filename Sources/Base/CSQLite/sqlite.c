#include "linkspan_sqlite.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(sqlite3_bind_double) F(sqlite3_bind_int64) F(sqlite3_bind_null) F(sqlite3_bind_text64) F(sqlite3_busy_timeout) \
  F(sqlite3_changes) F(sqlite3_clear_bindings) F(sqlite3_close) F(sqlite3_close_v2) F(sqlite3_column_bytes) \
  F(sqlite3_column_count) F(sqlite3_column_double) F(sqlite3_column_int64) F(sqlite3_column_name) \
  F(sqlite3_column_text) F(sqlite3_column_type) F(sqlite3_config) F(sqlite3_create_function_v2) F(sqlite3_db_config) \
  F(sqlite3_db_release_memory) F(sqlite3_errcode) F(sqlite3_errmsg) F(sqlite3_extended_errcode) \
  F(sqlite3_exec) F(sqlite3_file_control) \
  F(sqlite3_finalize) F(sqlite3_open) F(sqlite3_open_v2) F(sqlite3_prepare_v3) F(sqlite3_reset) \
  F(sqlite3_result_blob) F(sqlite3_result_int64) F(sqlite3_result_text) F(sqlite3_step) F(sqlite3_user_data) \
  F(sqlite3_value_int) F(sqlite3_value_text) F(sqlite3_vfs_find) F(sqlite3_vfs_register) \
  F(sqlite3_wal_checkpoint_v2) F(sqlite3_wal_hook)

LINKSPAN_LIBRARY("libsqlite3.so.0", "libsqlite3-0", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)

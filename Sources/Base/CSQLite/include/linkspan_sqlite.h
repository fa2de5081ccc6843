#include <sqlite3.h>

/* Answers a copy of a text from a function; SQLITE_TRANSIENT is a macro with a cast that Swift cannot import. */
static inline void linkspan_sqlite_result_text(sqlite3_context *context, const char *text, int count) {
  sqlite3_result_text(context, text, count, SQLITE_TRANSIENT);
}

/* Answers a copy of bytes from a function, likewise. */
static inline void linkspan_sqlite_result_blob(sqlite3_context *context, const void *bytes, int count) {
  sqlite3_result_blob(context, bytes, count, SQLITE_TRANSIENT);
}

/* Binds a copy of a text; SQLITE_TRANSIENT is a macro with a cast that Swift cannot import. */
static inline int linkspan_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* The start of the main database's file as it lies on the disk: takes no lock, and reads neither log nor journal. The file is
   SQLite's own, because closing another descriptor of it would end the process's locks on it.

   Returns the file's size in bytes, or -1. What lies behind the end of the file is zero. */
static inline sqlite3_int64 linkspan_sqlite_file_start(sqlite3 *database, void *bytes, int count) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = -1;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file || !file->pMethods)
    return -1;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return -1;
  int code = file->pMethods->xRead(file, bytes, count, 0);
  return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ ? size : -1;
}

/* Leaves a write-ahead log as it is when the last connection ends; sqlite3_db_config is variadic. */
static inline int linkspan_sqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* Has SQLite count no memory, for which all threads of a process wait for one lock; sqlite3_config is variadic. To be called
   before anything else of SQLite, else it does nothing. */
static inline void linkspan_sqlite_count_no_memory(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

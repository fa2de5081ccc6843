/* libpq, loaded with the first call. It brings ten libraries of its own (Kerberos, LDAP, a second TLS), whose loading and
   relocation cost every start of the program about 2 ms of processor time, and most commands never speak to PostgreSQL.

   Each function has the name and type of libpq's, and hands its call on. Without the library a connection is bad, and its
   error message says why. */

#include "linkspan_postgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static char reason[512];

static void load(void) {
  library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *why = dlerror();
    snprintf(
        reason, sizeof reason, "the library libpq cannot be loaded (%s); install the package libpq5",
        why == NULL ? "without a reason" : why);
  }
}

/* The library's own function; NULL without the library. One that has the library but not the function ends the program:
   each of them has been in libpq since release 14, which the package asks for. */
static void *function(const char *name) {
  pthread_once(&once, load);
  if (library == NULL) return NULL;
  void *found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "linkspan: libpq has no function '%s'; install libpq5 14 or later\n", name);
    abort();
  }
  return found;
}

const char *linkspan_libpq_problem(void) {
  pthread_once(&once, load);
  return library == NULL ? reason : NULL;
}

/* Defines one function: its result, name, parameters, arguments, and the result without the library. */
#define FORWARD(result, name, parameters, arguments, absent) \
  result name parameters { \
    static result(*real) parameters; \
    result(*known) parameters = __atomic_load_n(&real, __ATOMIC_RELAXED); \
    if (known == NULL) { \
      *(void **)&known = function(#name); \
      if (known == NULL) return absent; \
      __atomic_store_n(&real, known, __ATOMIC_RELAXED); \
    } \
    return known arguments; \
  }

FORWARD(
    PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand),
    (keywords, values, expand), NULL)
FORWARD(ConnStatusType, PQstatus, (const PGconn *connection), (connection), CONNECTION_BAD)
FORWARD(char *, PQerrorMessage, (const PGconn *connection), (connection), reason)
FORWARD(
    PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), (connection), PQTRANS_UNKNOWN)
FORWARD(
    PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor processor, void *argument),
    (connection, processor, argument), NULL)
FORWARD(PGresult *, PQexec, (PGconn *connection, const char *query), (connection, query), NULL)
FORWARD(
    PGresult *, PQprepare,
    (PGconn *connection, const char *name, const char *query, int count, const Oid *types),
    (connection, name, query, count, types), NULL)
FORWARD(
    PGresult *, PQexecPrepared,
    (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, name, count, values, lengths, formats, format), NULL)
FORWARD(
    int, PQsendQueryPrepared,
    (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
     const int *formats, int format),
    (connection, name, count, values, lengths, formats, format), 0)
FORWARD(int, PQenterPipelineMode, (PGconn *connection), (connection), 0)
FORWARD(int, PQexitPipelineMode, (PGconn *connection), (connection), 0)
FORWARD(int, PQpipelineSync, (PGconn *connection), (connection), 0)
FORWARD(PGresult *, PQgetResult, (PGconn *connection), (connection), NULL)
FORWARD(ExecStatusType, PQresultStatus, (const PGresult *rows), (rows), PGRES_FATAL_ERROR)
FORWARD(char *, PQresultErrorField, (const PGresult *rows, int field), (rows, field), NULL)
FORWARD(int, PQntuples, (const PGresult *rows), (rows), 0)
FORWARD(char *, PQcmdTuples, (PGresult *rows), (rows), "")
FORWARD(int, PQnfields, (const PGresult *rows), (rows), 0)
FORWARD(char *, PQfname, (const PGresult *rows, int column), (rows, column), NULL)
FORWARD(Oid, PQftype, (const PGresult *rows, int column), (rows, column), 0)
FORWARD(char *, PQgetvalue, (const PGresult *rows, int row, int column), (rows, row, column), NULL)
FORWARD(int, PQgetlength, (const PGresult *rows, int row, int column), (rows, row, column), 0)
FORWARD(int, PQgetisnull, (const PGresult *rows, int row, int column), (rows, row, column), 1)

void PQfinish(PGconn *connection) {
  void (*real)(PGconn *);
  *(void **)&real = function("PQfinish");
  if (real != NULL) real(connection);
}

void PQclear(PGresult *rows) {
  void (*real)(PGresult *);
  *(void **)&real = function("PQclear");
  if (real != NULL) real(rows);
}

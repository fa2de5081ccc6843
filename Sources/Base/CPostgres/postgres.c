#include "linkspan_postgres.h"

#define FUNCTIONS(F) \
  F(PQclear) F(PQcmdTuples) F(PQconnectdbParams) F(PQenterPipelineMode) F(PQerrorMessage) F(PQexec) \
  F(PQexecPrepared) F(PQexitPipelineMode) F(PQfinish) F(PQfname) F(PQftype) F(PQgetResult) F(PQgetisnull) \
  F(PQgetlength) F(PQgetvalue) F(PQnfields) F(PQntuples) F(PQparameterStatus) F(PQpipelineSync) F(PQprepare) \
  F(PQresultErrorField) F(PQresultStatus) F(PQsendQueryPrepared) F(PQsetNoticeProcessor) F(PQstatus) \
  F(PQtransactionStatus)

LINKSPAN_LIBRARY("libpq.so.5", "libpq5", 1, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)

linkspan_library *linkspan_libpq(void) { return &linkspan_this_library; }

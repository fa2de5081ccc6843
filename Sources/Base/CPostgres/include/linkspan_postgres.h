#ifndef LINKSPAN_POSTGRES_H
#define LINKSPAN_POSTGRES_H

#include <postgresql/libpq-fe.h>

/* Why libpq cannot be loaded; NULL when it can. */
const char *linkspan_libpq_problem(void);

#endif

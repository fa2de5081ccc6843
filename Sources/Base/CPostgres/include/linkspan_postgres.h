#ifndef LINKSPAN_POSTGRES_H
#define LINKSPAN_POSTGRES_H

#include <postgresql/libpq-fe.h>

#include "linkspan_library.h"

/* libpq, which is optional: ask for its problem before anything else. */
linkspan_library *linkspan_libpq(void);

#endif

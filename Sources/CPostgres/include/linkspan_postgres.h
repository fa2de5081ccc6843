#ifndef LINKSPAN_POSTGRES_H
#define LINKSPAN_POSTGRES_H

#include <postgresql/libpq-fe.h>

#endif

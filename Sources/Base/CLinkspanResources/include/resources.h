#ifndef LINKSPAN_RESOURCES_H
#define LINKSPAN_RESOURCES_H

#include <stddef.h>

/// The bytes of a file that is part of the program; they live as long as it runs.
struct linkspan_resource {
  const unsigned char *bytes;
  size_t count;
};

/// The program of the timeline page: its JavaScript files in the order in which they depend on each other.
struct linkspan_resource linkspan_timeline_js(void);

/// The style of the timeline page.
struct linkspan_resource linkspan_timeline_css(void);

/// The style of a clip's treemap.
struct linkspan_resource linkspan_treemap_css(void);

/// The style of a forecast's page and picture.
struct linkspan_resource linkspan_forecast_css(void);

/// The statements that bring a registry's store to a version, from 1; empty for a version that does not exist or that changes
/// one of the databases alone.
struct linkspan_resource linkspan_registry_schema(int version);

/// The statements that follow them on PostgreSQL; empty for most versions.
struct linkspan_resource linkspan_registry_schema_postgres(int version);

/// The same on SQLite.
struct linkspan_resource linkspan_registry_schema_sqlite(int version);

/// The OpenAPI document of the registry's routes.
struct linkspan_resource linkspan_registry_openapi(void);

/// The style of the console, and the script that keeps its pages up to date.
struct linkspan_resource linkspan_console_css(void);
struct linkspan_resource linkspan_console_js(void);

#endif

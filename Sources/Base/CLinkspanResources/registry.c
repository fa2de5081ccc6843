#include "resources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char registry_schema_1[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-1.sql"
};

static const unsigned char registry_schema_2[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-2.sql"
};

static const unsigned char registry_schema_3[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-3.sql"
};

static const unsigned char registry_schema_4[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-4.sql"
};

static const unsigned char registry_schema_5[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-5.sql"
};

static const unsigned char registry_schema_6[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-6.sql"
};

static const unsigned char registry_schema_7[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-7.sql"
};

static const unsigned char registry_schema_8[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-8.sql"
};

static const unsigned char registry_schema_9[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-9.sql"
};

static const unsigned char registry_schema_11[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-11.sql"
};

static const unsigned char registry_schema_12[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-12.sql"
};

static const unsigned char registry_schema_13[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-13.sql"
};

static const unsigned char registry_schema_14[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-14.sql"
};

static const unsigned char registry_schema_15[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-15.sql"
};

static const unsigned char registry_schema_16[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-16.sql"
};

static const unsigned char registry_schema_18_sqlite[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-18-sqlite.sql"
};

static const unsigned char registry_schema_17_sqlite[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-17-sqlite.sql"
};

static const unsigned char registry_schema_7_postgres[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-7-postgres.sql"
};

static const unsigned char registry_schema_10_postgres[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-10-postgres.sql"
};

static const unsigned char registry_schema_14_postgres[] = {
#embed "../../Service/DeviceRegistry/Schema/schema-14-postgres.sql"
};

struct linkspan_resource linkspan_registry_schema(int version) {
  struct linkspan_resource none = {0, 0};
  struct linkspan_resource first = {registry_schema_1, sizeof registry_schema_1};
  struct linkspan_resource second = {registry_schema_2, sizeof registry_schema_2};
  struct linkspan_resource third = {registry_schema_3, sizeof registry_schema_3};
  struct linkspan_resource fourth = {registry_schema_4, sizeof registry_schema_4};
  struct linkspan_resource fifth = {registry_schema_5, sizeof registry_schema_5};
  struct linkspan_resource sixth = {registry_schema_6, sizeof registry_schema_6};
  struct linkspan_resource seventh = {registry_schema_7, sizeof registry_schema_7};
  struct linkspan_resource eighth = {registry_schema_8, sizeof registry_schema_8};
  struct linkspan_resource ninth = {registry_schema_9, sizeof registry_schema_9};
  struct linkspan_resource eleventh = {registry_schema_11, sizeof registry_schema_11};
  struct linkspan_resource twelfth = {registry_schema_12, sizeof registry_schema_12};
  struct linkspan_resource thirteenth = {registry_schema_13, sizeof registry_schema_13};
  struct linkspan_resource fourteenth = {registry_schema_14, sizeof registry_schema_14};
  struct linkspan_resource fifteenth = {registry_schema_15, sizeof registry_schema_15};
  struct linkspan_resource sixteenth = {registry_schema_16, sizeof registry_schema_16};
  struct linkspan_resource versions[] = {first, second, third, fourth, fifth, sixth,
                                         seventh, eighth, ninth, none, eleventh, twelfth, thirteenth,
                                         fourteenth, fifteenth, sixteenth};
  return version >= 1 && version <= 16 ? versions[version - 1] : none;
}

struct linkspan_resource linkspan_registry_schema_postgres(int version) {
  struct linkspan_resource none = {0, 0};
  struct linkspan_resource seventh = {registry_schema_7_postgres, sizeof registry_schema_7_postgres};
  struct linkspan_resource tenth = {registry_schema_10_postgres, sizeof registry_schema_10_postgres};
  struct linkspan_resource fourteenth = {registry_schema_14_postgres, sizeof registry_schema_14_postgres};
  return version == 7 ? seventh : version == 10 ? tenth : version == 14 ? fourteenth : none;
}

struct linkspan_resource linkspan_registry_schema_sqlite(int version) {
  struct linkspan_resource none = {0, 0};
  struct linkspan_resource seventeenth = {registry_schema_17_sqlite, sizeof registry_schema_17_sqlite};
  struct linkspan_resource eighteenth = {registry_schema_18_sqlite, sizeof registry_schema_18_sqlite};
  return version == 17 ? seventeenth : version == 18 ? eighteenth : none;
}

static const unsigned char registry_openapi[] = {
#embed "../../Service/RegistryServer/Registry/openapi.json"
};

struct linkspan_resource linkspan_registry_openapi(void) {
  struct linkspan_resource resource = {registry_openapi, sizeof registry_openapi};
  return resource;
}

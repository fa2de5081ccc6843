#include <zip.h>

/* What a source that only reads and seeks can do; the macro behind it does not reach Swift. */
static inline zip_int64_t linkspan_zip_source_supports_reading(void) { return ZIP_SOURCE_SUPPORTS_SEEKABLE; }

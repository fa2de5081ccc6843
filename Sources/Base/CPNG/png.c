#include "linkspan_png.h"

#include "linkspan_library.h"

#define FUNCTIONS(F) \
  F(png_create_info_struct) F(png_create_read_struct) F(png_create_write_struct) F(png_destroy_read_struct) \
  F(png_destroy_write_struct) F(png_error) F(png_get_IHDR) F(png_get_cHRM_fixed) F(png_get_error_ptr) \
  F(png_get_gAMA_fixed) F(png_get_iCCP) F(png_get_io_ptr) F(png_get_pHYs) F(png_get_rowbytes) F(png_get_sRGB) \
  F(png_get_valid) F(png_read_end) F(png_read_image) F(png_read_info) F(png_read_update_info) F(png_set_IHDR) \
  F(png_set_add_alpha) F(png_set_benign_errors) F(png_set_cHRM_fixed) F(png_set_chunk_cache_max) \
  F(png_set_chunk_malloc_max) F(png_set_expand) F(png_set_gAMA_fixed) F(png_set_gray_to_rgb) F(png_set_iCCP) \
  F(png_set_interlace_handling) F(png_set_longjmp_fn) F(png_set_pHYs) F(png_set_read_fn) F(png_set_sRGB) \
  F(png_set_scale_16) F(png_set_user_limits) F(png_set_write_fn) F(png_sig_cmp) F(png_write_end) F(png_write_info) \
  F(png_write_row)

LINKSPAN_LIBRARY("libpng16.so.16", "libpng16-16", 0, FUNCTIONS, LINKSPAN_LIBRARY_NO_VARIABLES)

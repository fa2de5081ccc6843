#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libpng leaves a failed call by longjmp, which must not cross Swift: reading and writing are one call each, here. */

typedef struct {
  /* What the file says. */
  png_uint_32 width, height;
  int bit_depth, color_type, has_transparency;
  /* Which of the chunks about colours and size there were; the values are libpng's. */
  int has_srgb, srgb_intent;
  int has_gamma;
  png_fixed_point gamma;
  int has_chromaticities;
  png_fixed_point chromaticities[8];
  int has_size, size_unit;
  png_uint_32 pixels_x, pixels_y;
  char *profile_name;
  unsigned char *profile;
  png_uint_32 profile_length;
  /* Four bytes a pixel, not premultiplied. */
  unsigned char *pixels;
  /* Why it failed. */
  char message[160];
} linkspan_png;

typedef struct {
  const unsigned char *bytes;
  size_t count, place;
} linkspan_png_input;

typedef struct {
  unsigned char *bytes;
  size_t count, room;
} linkspan_png_output;

static inline void linkspan_png_free(linkspan_png *picture) {
  free(picture->pixels);
  free(picture->profile);
  free(picture->profile_name);
  memset(picture, 0, sizeof *picture);
}

static inline void linkspan_png_fail(png_structp png, png_const_charp message) {
  linkspan_png *picture = (linkspan_png *)png_get_error_ptr(png);
  strncpy(picture->message, message, sizeof picture->message - 1);
  picture->message[sizeof picture->message - 1] = 0;
  longjmp(png_jmpbuf(png), 1);
}

static inline void linkspan_png_warn(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static inline void linkspan_png_take(png_structp png, png_bytep target, size_t count) {
  linkspan_png_input *input = (linkspan_png_input *)png_get_io_ptr(png);
  if (count > input->count - input->place) png_error(png, "the file ends early");
  memcpy(target, input->bytes + input->place, count);
  input->place += count;
}

static inline void linkspan_png_put(png_structp png, png_bytep bytes, size_t count) {
  linkspan_png_output *output = (linkspan_png_output *)png_get_io_ptr(png);
  if (count > output->room - output->count) {
    size_t room = output->room * 2 + count + 65536;
    unsigned char *larger = (unsigned char *)realloc(output->bytes, room);
    if (!larger) png_error(png, "there is not enough memory");
    output->bytes = larger;
    output->room = room;
  }
  memcpy(output->bytes + output->count, bytes, count);
  output->count += count;
}

static inline void linkspan_png_flush(png_structp png) { (void)png; }

/* Whether a file has a chunk before its pixels. libpng also answers for chunks that follow from others. */
static inline int linkspan_png_has(const linkspan_png_input *input, const char *name) {
  size_t place = 8;
  while (input->count - place >= 12) {
    const unsigned char *chunk = input->bytes + place;
    size_t length = png_get_uint_32(chunk);
    if (memcmp(chunk + 4, name, 4) == 0) return 1;
    if (memcmp(chunk + 4, "IDAT", 4) == 0 || length > input->count - place - 12) return 0;
    place += length + 12;
  }
  return 0;
}

static inline void linkspan_png_read_chunks(
    png_structp png, png_infop info, const linkspan_png_input *input, linkspan_png *picture) {
  png_charp name;
  png_bytep profile;
  int compression;
  png_fixed_point *c = picture->chromaticities;
  picture->has_srgb = linkspan_png_has(input, "sRGB") && png_get_sRGB(png, info, &picture->srgb_intent) != 0;
  picture->has_gamma = linkspan_png_has(input, "gAMA") && png_get_gAMA_fixed(png, info, &picture->gamma) != 0;
  picture->has_chromaticities =
      linkspan_png_has(input, "cHRM") &&
      png_get_cHRM_fixed(png, info, c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7) != 0;
  picture->has_size =
      png_get_pHYs(png, info, &picture->pixels_x, &picture->pixels_y, &picture->size_unit) != 0;
  if (png_get_iCCP(png, info, &name, &compression, &profile, &picture->profile_length)) {
    picture->profile = (unsigned char *)malloc(picture->profile_length);
    picture->profile_name = strdup(name);
    if (!picture->profile || !picture->profile_name) png_error(png, "there is not enough memory");
    memcpy(picture->profile, profile, picture->profile_length);
  }
}

/* Reads a file in memory into eight bits a channel with alpha. Returns 1, or 0 with a message; free it in both cases. */
static inline int linkspan_png_read(
    linkspan_png *picture, const unsigned char *bytes, size_t count, png_uint_32 side_limit, size_t pixel_limit) {
  linkspan_png_input input = {bytes, count, 0};
  png_bytep *volatile rows = NULL;
  memset(picture, 0, sizeof *picture);
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, picture, linkspan_png_fail, linkspan_png_warn);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    free((void *)rows);
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
  }
  png_set_user_limits(png, side_limit, side_limit);
  png_set_chunk_malloc_max(png, 16u << 20);
  png_set_chunk_cache_max(png, 100);
  png_set_read_fn(png, &input, linkspan_png_take);
  png_read_info(png, info);
  png_get_IHDR(
      png, info, &picture->width, &picture->height, &picture->bit_depth, &picture->color_type, NULL, NULL, NULL);
  if ((size_t)picture->width * picture->height > pixel_limit) png_error(png, "it has too many pixels");
  picture->has_transparency =
      (picture->color_type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  linkspan_png_read_chunks(png, info, &input, picture);
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t row = (size_t)picture->width * 4;
  if (png_get_rowbytes(png, info) != row) png_error(png, "its rows have another size than its header says");
  picture->pixels = (unsigned char *)malloc(row * picture->height);
  rows = (png_bytep *)malloc(sizeof(png_bytep) * picture->height);
  if (!picture->pixels || !rows) png_error(png, "there is not enough memory");
  for (png_uint_32 y = 0; y < picture->height; y++) rows[y] = picture->pixels + row * y;
  png_read_image(png, (png_bytepp)rows);
  png_read_end(png, info);
  free((void *)rows);
  png_destroy_read_struct(&png, &info, NULL);
  return 1;
}

/* Writes rows of 'color_type' (eight bits a channel) with the chunks of 'picture'. Returns 1, or 0 with a message; the
   caller frees 'output->bytes' in both cases. */
static inline int linkspan_png_write(
    linkspan_png *picture, const unsigned char *pixels, int color_type, linkspan_png_output *output) {
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, picture, linkspan_png_fail, linkspan_png_warn);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return 0;
  }
  /* A profile that could be read is kept, whatever libpng thinks of its values. */
  png_set_benign_errors(png, 1);
  png_set_write_fn(png, output, linkspan_png_put, linkspan_png_flush);
  png_set_IHDR(
      png, info, picture->width, picture->height, 8, color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
      PNG_FILTER_TYPE_DEFAULT);
  png_fixed_point *c = picture->chromaticities;
  if (picture->has_gamma) png_set_gAMA_fixed(png, info, picture->gamma);
  if (picture->has_chromaticities) png_set_cHRM_fixed(png, info, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
  if (picture->has_srgb) png_set_sRGB(png, info, picture->srgb_intent);
  if (picture->has_size) png_set_pHYs(png, info, picture->pixels_x, picture->pixels_y, picture->size_unit);
  if (picture->profile)
    png_set_iCCP(
        png, info, picture->profile_name, PNG_COMPRESSION_TYPE_BASE, picture->profile, picture->profile_length);
  png_write_info(png, info);
  int channels = (color_type & PNG_COLOR_MASK_COLOR ? 3 : 1) + (color_type & PNG_COLOR_MASK_ALPHA ? 1 : 0);
  for (png_uint_32 y = 0; y < picture->height; y++)
    png_write_row(png, pixels + (size_t)y * picture->width * channels);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return 1;
}

static inline int linkspan_png_is_png(const unsigned char *bytes, size_t count) {
  return count >= 8 && png_sig_cmp(bytes, 0, 8) == 0;
}

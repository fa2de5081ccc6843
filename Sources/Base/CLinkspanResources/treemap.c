#include "resources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char treemap_css[] = {
#embed "../../Apps/AppBundle/Treemap/treemap.css"
};

struct linkspan_resource linkspan_treemap_css(void) {
  struct linkspan_resource resource = {treemap_css, sizeof treemap_css};
  return resource;
}

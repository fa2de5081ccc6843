#include "resources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char console_css[] = {
#embed "../../Service/LinkspanConsole/Style/console.css"
};

static const unsigned char console_js[] = {
#embed "../../Service/LinkspanConsole/Style/console.js"
};

struct linkspan_resource linkspan_console_css(void) {
  struct linkspan_resource resource = {console_css, sizeof console_css};
  return resource;
}

struct linkspan_resource linkspan_console_js(void) {
  struct linkspan_resource resource = {console_js, sizeof console_js};
  return resource;
}

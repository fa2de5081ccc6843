#include "resources.h"

#ifndef __has_embed
#error "Linkspan needs a C compiler that knows #embed, as the one of Swift 6.3"
#endif
// Standard in C23, and in older modes an extension that the compiler mentions each time.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char timeline_js[] = {
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-marks.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-chart.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-tables.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-controls.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-page.js"
    ,
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline-selfcheck.js"
};

static const unsigned char timeline_css[] = {
#embed "../../Simulation/LinkspanSimulator/Timeline/timeline.css"
};

struct linkspan_resource linkspan_timeline_js(void) {
  struct linkspan_resource resource = {timeline_js, sizeof timeline_js};
  return resource;
}

struct linkspan_resource linkspan_timeline_css(void) {
  struct linkspan_resource resource = {timeline_css, sizeof timeline_css};
  return resource;
}

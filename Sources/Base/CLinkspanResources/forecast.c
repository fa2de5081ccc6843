#include "resources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char forecast_css[] = {
#embed "../../Simulation/LinkspanForecast/Picture/forecast.css"
};

struct linkspan_resource linkspan_forecast_css(void) {
  struct linkspan_resource resource = {forecast_css, sizeof forecast_css};
  return resource;
}

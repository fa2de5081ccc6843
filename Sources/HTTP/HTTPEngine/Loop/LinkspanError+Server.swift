package import LinkspanCore

extension LinkspanError {
  /// Why a server cannot listen or go on, and what to do where a port is reserved or taken.
  package init(_ error: HTTPServerError) {
    var help: String?
    if error.isPortReserved {
      help =
        "Ports below 1024 are reserved. Listen on a port above 1023, or let the program have this one: by 'setcap"
        + " cap_net_bind_service=+ep' on its file, in a systemd unit by AmbientCapabilities=CAP_NET_BIND_SERVICE, or"
        + " by a socket unit."
    } else if error.isPortTaken {
      help = "Choose another port, or stop the process that has this one: 'ss -ltnp' names it."
    }
    self.init("\(error).", help: help)
  }
}

package import HTTPEngine

extension DaemonError {
  /// Why a server cannot listen or go on, and what to do where a port is reserved.
  package init(_ error: HTTPServerError) {
    self.init(
      "\(error).",
      help: error.isPortReserved
        ? "Ports below 1024 are reserved. Listen on a port above 1023, or let the program have this one: by 'setcap"
          + " cap_net_bind_service=+ep' on its file, in a systemd unit by AmbientCapabilities=CAP_NET_BIND_SERVICE, or"
          + " by a socket unit." : nil)
  }
}

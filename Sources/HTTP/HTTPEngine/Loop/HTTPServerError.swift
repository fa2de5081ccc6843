internal import Glibc
internal import HTTPTransport
package import LinkspanCore
internal import LinkspanSystem

/// Why a server cannot listen or go on; the reason names the address and what the system said.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  package var reason: String
  /// What to do; nil where the reason says all that is known.
  package private(set) var help: String?
  package var description: String { reason }

  /// Whether this user may not listen there, on a reserved port or for another reason.
  package private(set) var isForbidden = false
  /// Whether another process listens there.
  package private(set) var isPortTaken = false

  package init(_ reason: String) { self.reason = reason }

  /// What the system refused.
  package init(_ error: LinkspanError) {
    (reason, help) = (error.what + (error.reason.map { ": \($0)" } ?? ""), error.help)
  }

  /// What the system's error number is about.
  ///
  /// - Parameter what: What failed, before the address.
  package init(_ what: String, _ address: SocketAddress, _ code: CInt) {
    reason = "\(what) \(address): \(SystemError.text(code))"
    isPortTaken = code == EADDRINUSE
    isForbidden = code == EACCES
    // The system lets only some programs listen on a low port (ip(7), `ip_unprivileged_port_start`).
    if isForbidden, address.port > 0, address.port < 1_024 {
      help =
        "Ports below 1024 are reserved. Listen on a port above 1023, or let the program have this one: by 'setcap"
        + " cap_net_bind_service=+ep' on its file, in a systemd unit by AmbientCapabilities=CAP_NET_BIND_SERVICE, or"
        + " by a socket unit."
    } else if isPortTaken {
      help = "Choose another port, or stop the process that has this one: 'ss -ltnp' names it."
    } else if code == EADDRNOTAVAIL {
      help = "This machine does not have the address; 'ip address' lists those it has."
    }
  }
}

extension LinkspanError {
  /// Why a server cannot listen or go on, and what to do.
  package init(_ error: HTTPServerError) { self.init("\(error).", help: error.help) }
}

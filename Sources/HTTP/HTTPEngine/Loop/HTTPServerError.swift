internal import Glibc
internal import HTTPTransport
package import LinkspanCore
internal import LinkspanSystem

/// Why a server cannot listen or go on; the reason names the address and what the system said.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  package var reason: String
  package var description: String { reason }

  /// The system lets only some programs listen on a port as low as this one (ip(7), `ip_unprivileged_port_start`).
  package private(set) var isPortReserved = false
  /// Whether this user may not listen there, on a reserved port or for another reason.
  package private(set) var isForbidden = false
  /// Whether another process listens there.
  package private(set) var isPortTaken = false

  package init(_ reason: String) { self.reason = reason }

  /// What the system refused.
  package init(_ error: LinkspanError) { reason = error.what + (error.reason.map { ": \($0)" } ?? "") }

  /// What the system's error number is about.
  ///
  /// - Parameter what: What failed, before the address.
  package init(_ what: String, _ address: SocketAddress, _ code: CInt) {
    reason = "\(what) \(address): \(SystemError.text(code))"
    isPortTaken = code == EADDRINUSE
    isForbidden = code == EACCES
    isPortReserved = isForbidden && address.port > 0 && address.port < 1_024
  }
}

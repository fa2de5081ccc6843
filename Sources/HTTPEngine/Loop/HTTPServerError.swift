/// Why a server cannot listen or go on; the reason names the address and what the system said.
package struct HTTPServerError: Error, Hashable, Sendable, CustomStringConvertible {
  package var reason: String
  package var description: String { reason }

  package init(_ reason: String) { self.reason = reason }
}

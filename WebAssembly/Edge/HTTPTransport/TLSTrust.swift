/// Whom a command believes when a server shows its certificate; here whom the module's host believes.
package enum TLSTrust: Sendable {
  case system
}

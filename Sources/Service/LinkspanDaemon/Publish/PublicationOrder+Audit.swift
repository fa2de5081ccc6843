internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer

extension PublicationOrder {
  /// The lines of the registry's audit log about an order that was carried out, one for each host.
  ///
  /// - Parameter number: The publication that is served again.
  func auditEntries(of actor: String, number: Int?, at time: WallTime) -> [AuditEntry] {
    let which: Int? =
      switch self {
      case .rollBack(_, let chosen): chosen ?? number
      case .pin(_, let chosen): chosen
      case .release, .approve, .remove: nil
      }
    return hosts.map { host in
      AuditEntry(
        time: time, actor: actor, action: action, subject: host + (which.map { " to \($0)" } ?? ""))
    }
  }
}

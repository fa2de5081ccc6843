internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import Synchronization

/// The registry beside the association files.
extension ServeRun {
  /// Opens the registry, if there is one, and has the pages know its routes.
  func openRegistry(_ pages: OperatorPages) throws(DaemonError) -> Registry? {
    guard let settings = settings.registry else { return nil }
    let options = try settings.options()
    let registry = try Registry.open(settings.address)
    let (fail, last) = (output.fail, SecondsOfReport())
    let api = RegistryAPI(
      registry, options, now: { CurrentTime.now },
      client: { [clients = pages.clients] request, origin in
        clients.client(of: request, peer: origin.peer)?.unmapped.host
      },
      report: { error in if last.isNew(CurrentTime.now) { fail(DaemonError(error)) } })
    pages.registry.withLock { $0 = api }
    log.info("the device registry is \(registry.address.words)")
    if let legacy = options.legacy, legacy.isOpen {
      log.info(
        "--legacy-open: whoever reaches this server registers and removes devices of \(legacy.topic) without a"
          + " credential")
    }
    return registry
  }
}

/// Lets one report a second through, because a full disk would have thousands.
private final class SecondsOfReport: Sendable {
  private let last = Mutex<Int64>(.min)

  func isNew(_ now: WallTime) -> Bool {
    last.withLock { last in
      guard now.milliseconds / 1_000 != last else { return false }
      last = now.milliseconds / 1_000
      return true
    }
  }
}

import LinkspanCore
import SimulatedDevices

extension ContentDeliveryNetwork {
  /// One on a virtual clock.
  init(
    clock: VirtualClock, transport: @escaping Transport, switches: CDNSwitches = CDNSwitches(),
    note: @escaping @Sendable (_ crawl: Crawl) async -> Void = { _ in }
  ) {
    self.init(now: { clock.now.offset }, transport: transport, switches: switches, note: note)
  }
}

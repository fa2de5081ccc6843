import LinkspanStories

extension PushStep {
  /// The step with other places, without those that become nil; nil when nothing is left of it.
  func mapping(devices: (Int) -> Int?, apps: (Int) -> Int?) -> PushStep? {
    let left = self.devices.compactMap(devices)
    switch self {
    case .send(var sending):
      guard let app = apps(sending.app), !left.isEmpty else { return nil }
      (sending.app, sending.devices, sending.expectations) = (app, left, [])
      return .send(sending)
    case .app(var change):
      guard let app = apps(change.app), !left.isEmpty else { return nil }
      (change.app, change.devices) = (app, left)
      return .app(change)
    case .device(var change):
      guard !left.isEmpty else { return nil }
      change.devices = left
      return .device(change)
    case .expect: return nil
    }
  }
}

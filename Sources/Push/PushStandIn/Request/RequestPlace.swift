/// What a path of APNs names.
enum RequestPlace {
  case device(Substring)
  /// The bundle identifier that a broadcast goes to.
  case broadcast(Substring)

  static let broadcasts = "/4/broadcasts/apps/"

  static func read(_ target: String) -> Result<RequestPlace, APNsRefusal> {
    let device = "/3/device"
    if target.hasPrefix(device) {
      let rest = target.dropFirst(device.utf8.count)
      if rest.isEmpty || rest == "/" { return .failure(APNsRefusal(.missingDeviceToken)) }
      let token = rest.dropFirst()
      guard rest.utf8.first == UInt8(ascii: "/"),
        !token.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") })
      else { return .failure(APNsRefusal(.badPath)) }
      return .success(.device(token))
    }
    guard target.hasPrefix(broadcasts) else { return .failure(APNsRefusal(.badPath)) }
    let app = target.dropFirst(broadcasts.utf8.count)
    guard !app.isEmpty, !app.utf8.contains(UInt8(ascii: "/")) else { return .failure(APNsRefusal(.badPath)) }
    return .success(.broadcast(app))
  }
}

/// What a path of APNs names.
enum RequestPlace {
  case device(Substring)
  /// The bundle identifier that a broadcast goes to.
  case broadcast(Substring)

  static let broadcasts = "/4/broadcasts/apps/"

  static func read(_ target: String) -> Result<RequestPlace, APNsRefusal> {
    if let rest = rest(of: target, after: "/3/device") {
      if rest.isEmpty || rest.elementsEqual("/".utf8) { return .failure(APNsRefusal(.missingDeviceToken)) }
      let token = rest.dropFirst()
      guard rest.first == UInt8(ascii: "/"),
        token.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") })
      else { return .failure(APNsRefusal(.badPath)) }
      return .success(.device(Substring(token)))
    }
    guard let app = rest(of: target, after: broadcasts), !app.isEmpty, !app.contains(UInt8(ascii: "/")) else {
      return .failure(APNsRefusal(.badPath))
    }
    return .success(.broadcast(Substring(app)))
  }

  private static func rest(of target: String, after beginning: String) -> Substring.UTF8View? {
    guard target.utf8.starts(with: beginning.utf8) else { return nil }
    return target.utf8.dropFirst(beginning.utf8.count)
  }
}

/// What a path of APNs names.
enum RequestPlace {
  case device(Substring)
  /// The bundle identifier that a broadcast goes to.
  case broadcast(Substring)

  private static let broadcasts = "/4/broadcasts/apps/"

  static func read(_ target: String) -> Result<RequestPlace, APNsRefusal> {
    if let rest = rest(of: target, after: "/3/device") {
      if rest.isEmpty || rest.elementsEqual("/".utf8) { return .failure(APNsRefusal(.missingDeviceToken)) }
      var token = Substring(rest.dropFirst())
      let isPlain = token.withUTF8 { $0.allSatisfy { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") } }
      guard rest.first == UInt8(ascii: "/"), isPlain else { return .failure(APNsRefusal(.badPath)) }
      return .success(.device(token))
    }
    guard let app = rest(of: target, after: broadcasts), !app.isEmpty, !app.contains(UInt8(ascii: "/")) else {
      return .failure(APNsRefusal(.badPath))
    }
    return .success(.broadcast(Substring(app)))
  }

  static func isBroadcast(_ target: String) -> Bool { target.utf8.starts(with: broadcasts.utf8) }

  private static func rest(of target: String, after beginning: String) -> Substring.UTF8View? {
    guard target.utf8.starts(with: beginning.utf8) else { return nil }
    return target.utf8.dropFirst(beginning.utf8.count)
  }
}

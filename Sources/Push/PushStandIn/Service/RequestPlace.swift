/// What a path of APNs names.
enum RequestPlace {
  case device(Substring)
  /// The bundle identifier that a broadcast goes to.
  case broadcast(Substring)

  private static let broadcasts: StaticString = "/4/broadcasts/apps/"

  static func read(_ target: String) -> Result<RequestPlace, APNsRefusal> {
    if let rest = rest(of: target, after: "/3/device") {
      if rest.isEmpty || rest.elementsEqual("/".utf8) { return .failure(APNsRefusal(.missingDeviceToken)) }
      var token = Substring(rest.dropFirst())
      // To the end in any case, and without a branch for each: several bytes at a time are looked at then.
      let isPlain = token.withUTF8 { bytes in
        bytes.reduce(UInt8(0)) {
          $0 | ($1 == UInt8(ascii: "/") ? 1 : 0) | ($1 == UInt8(ascii: "?") ? 1 : 0)
        } == 0
      }
      guard rest.first == UInt8(ascii: "/"), isPlain else { return .failure(APNsRefusal(.badPath)) }
      return .success(.device(token))
    }
    guard let app = rest(of: target, after: broadcasts), !app.isEmpty, !app.contains(UInt8(ascii: "/")) else {
      return .failure(APNsRefusal(.badPath))
    }
    return .success(.broadcast(Substring(app)))
  }

  static func isBroadcast(_ target: String) -> Bool { begins(target, with: broadcasts) }

  /// Whether a path has this beginning, byte for byte.
  static func begins(_ target: String, with beginning: StaticString) -> Bool {
    var target = target
    return target.withUTF8 { bytes in
      guard bytes.count >= beginning.utf8CodeUnitCount else { return false }
      for place in 0..<beginning.utf8CodeUnitCount where bytes[place] != beginning.utf8Start[place] {
        return false
      }
      return true
    }
  }

  private static func rest(of target: String, after beginning: StaticString) -> Substring.UTF8View? {
    guard begins(target, with: beginning) else { return nil }
    return target.utf8.dropFirst(beginning.utf8CodeUnitCount)
  }
}

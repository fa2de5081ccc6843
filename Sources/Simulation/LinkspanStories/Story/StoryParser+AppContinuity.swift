internal import AppLifecycle
internal import Handoff
import LinkspanCore

/// What apps and devices have for Handoff, arrivals and the switcher.
extension StoryParser {
  static let appContinuityKeys = ["activity_types", "signed_by", "code", "routes", "schemes"]
  private static let codeKeys = [
    "life_cycle", "sdk", "continues_activities", "forwarding", "queues", "readiness", "ignores_repeats",
    "routes",
    "unroutable", "page", "cover", "presents",
  ]
  private static let codeExample = "code: { life_cycle: \"scene\", cover: \"on-resign\" }"

  mutating func appContinuity(_ node: JSONNode) -> AppContinuity {
    var app = AppContinuity()
    if let types = node["activity_types"] {
      app.activityTypes = context.strings(
        types, "activity_types", example: "activity_types: [\"com.example.viewing\"]"
      )
      .map(\.0)
    }
    app.signer = node["signed_by"].flatMap {
      context.string($0, "signed_by", example: "signed_by: \"ABCDE12345\"")
    }
    app.routes = routes(node)
    guard let code = node["code"],
      context.members(code, "'code'", keys: Self.codeKeys, example: Self.codeExample) != nil
    else { return app }
    if let node = code["life_cycle"] {
      app.shape.lifeCycle = context.word(node, "life_cycle", LifeCycle.allCases) ?? app.shape.lifeCycle
    }
    if let node = code["sdk"] { app.shape.sdk = context.int(node, "sdk", in: 8...99) ?? app.shape.sdk }
    if let node = code["cover"] { app.cover = context.word(node, "cover", CoverPolicy.allCases) ?? app.cover }
    if let node = code["forwarding"] {
      app.code.forwarding =
        context.word(node, "forwarding", LinkCode.Forwarding.allCases) ?? app.code.forwarding
    }
    if let node = code["readiness"] {
      app.code.readiness = context.word(node, "readiness", LinkCode.Readiness.allCases) ?? app.code.readiness
    }
    if let node = code["unroutable"] {
      app.code.unroutable =
        context.word(node, "unroutable", LinkCode.Unroutable.allCases) ?? app.code.unroutable
    }
    if let node = code["page"] {
      app.code.page = context.word(node, "page", LinkCode.Page.allCases) ?? app.code.page
    }
    for (name, path) in AppContinuity.flags {
      if let node = code[name], let flag = context.bool(node, name) { app[keyPath: path] = flag }
    }
    return app
  }

  /// `routes: { recipe: "/recipes/{id:int}", draft: { path: "/drafts/{id}", activity: "com.example.drafting" } }`
  private mutating func routes(_ node: JSONNode) -> AppRoutes? {
    guard let table = node["routes"] else { return nil }
    let example = "routes: { recipe: \"/recipes/{id:int}\" }"
    // With a mistake it is a table all the same, so that nothing more is reported.
    guard let members = table.object else {
      context.report("type", table, "'routes' is not an object.", "Write \(example).")
      return AppRoutes()
    }
    context.expects(.names, at: table.range)
    var routes = AppRoutes()
    for member in members {
      if member.value.object != nil {
        guard context.members(member.value, "a route", keys: ["path", "activity"], example: example) != nil,
          let path = member.value["path"],
          let template = context.string(path, "path", example: "path: \"/recipes/{id:int}\"")
        else { continue }
        let activity = member.value["activity"].flatMap {
          context.string($0, "activity", example: "activity: \"com.example.reading\"")
        }
        routes.rows.append(AppRoutes.Row(name: member.name, template: template, activityType: activity))
      } else if let template = context.string(member.value, member.name, example: example) {
        routes.rows.append(AppRoutes.Row(name: member.name, template: template))
      }
    }
    if let schemes = node["schemes"] {
      routes.schemes = context.strings(schemes, "schemes", example: "schemes: [\"recipes\"]").map(\.0)
    }
    if let problem = routes.problem {
      context.report("routes", table, problem, "The templates are those of the library for apps.")
    }
    return routes
  }

  mutating func handoffSwitches(_ node: JSONNode) -> HandoffDevice.Switches {
    var switches = HandoffDevice.Switches()
    let keys = ["account", "user_info_limit_bytes"] + HandoffDevice.Switches.keys.map(\.name)
    let example = "handoff: { account: \"anna\", bluetooth: false }"
    guard context.members(node, "'handoff'", keys: keys, example: example) != nil else { return switches }
    if let account = node["account"] {
      switches.account = context.string(account, "account", example: example) ?? switches.account
    }
    if let limit = node["user_info_limit_bytes"] {
      switches.userInfoLimitBytes = context.int(limit, "user_info_limit_bytes", in: 1...1 << 30)
    }
    for key in HandoffDevice.Switches.keys {
      if let node = node[key.name], let flag = context.bool(node, key.name) {
        switches[keyPath: key.path] = flag
      }
    }
    return switches
  }

  /// The certificate authorities that devices trust for signed files: the path of a PEM file.
  mutating func authorities(_ node: JSONNode) -> [UInt8] {
    guard let path = context.string(node, "authorities", example: "authorities: \"authority.pem\"") else {
      return []
    }
    // The text itself, as a story that was written by the program has it.
    if path.hasPrefix("-----BEGIN ") { return Array(path.utf8) }
    do {
      if let bytes = try context.reader.file(path) { return bytes }
      context.report(
        "no-file", node, "'\(path)' does not exist.", "Paths are relative to the story's folder.")
    } catch {
      context.report(
        "unreadable-file", node, "'\(path)' cannot be read: \(error.reason).",
        "Fix the file, or name another.")
    }
    return []
  }
}

extension AppContinuity {
  /// What is true or false under `code`, by the names that a story uses.
  static var flags: [(name: String, path: WritableKeyPath<AppContinuity, Bool>)] {
    [
      ("continues_activities", \.shape.continuesActivities), ("queues", \.code.queues),
      ("ignores_repeats", \.code.ignoresRepeats), ("routes", \.code.routes), ("presents", \.presents),
    ]
  }
}

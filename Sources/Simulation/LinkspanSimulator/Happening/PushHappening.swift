package import LinkspanCore
import LinkspanSpecification
package import LinkspanStories
package import PushDelivery
internal import SimulatedDevices

/// What happened to a push, or around one.
package enum PushHappening: Happening {
  /// - Parameter app: The identifier of the app that it is about.
  case delivery(DeliveryEvent, app: String)
  case changedApp(PushAppChange, app: String)
  case changedDevice(PushDeviceChange)

  package var kind: String {
    switch self {
    case .delivery(let event, _): event.kind.rawValue
    case .changedApp: "app-state"
    case .changedDevice: "device-state"
    }
  }

  package var fields: [(String, JSON)] {
    switch self {
    case .delivery(let event, let app): Self.fields(event, app)
    case .changedApp(let change, let app): [("app", .string(app))] + change.fields
    case .changedDevice(let change): change.fields
    }
  }

  package var usualProvenance: Provenance? {
    switch self {
    case .delivery(let event, _): event.provenance
    case .changedApp: Provenance(citing: ["push 7.4", "push 7.6"])
    case .changedDevice: Provenance(citing: ["push 7.13"])
    }
  }

  private static func fields(_ event: DeliveryEvent, _ app: String) -> [(String, JSON)] {
    // A background fetch has no push.
    var fields: [(String, JSON)] = event.push == 0 ? [] : [("push", .int(event.push))]
    fields.append(("app", .string(app)))
    if let reason = event.reason {
      fields.append(("reason", .string(reason.rawValue)))
      fields.append(("why", .string(reason.facts.sentence)))
    }
    if let next = event.next { fields.append(("next", .string(next.description))) }
    return fields + event.details.map { ($0.name, .string($0.value)) }
  }
}

extension PushAppChange {
  fileprivate var fields: [(String, JSON)] {
    var fields: [(String, JSON)] = []
    if let life { fields.append(("to", .string(life.rawValue))) }
    if tapsNotification { fields.append(("taps_notification", .bool(true))) }
    if let permission { fields.append(("notifications", .string(permission.rawValue))) }
    if let allowsBackgroundRefresh { fields.append(("background_refresh", .bool(allowsBackgroundRefresh))) }
    if let plan {
      fields.append(("handler_ms", .init(plan.duration_ms.map { Int($0) })))
      fields.append(("result", .string(plan.result.rawValue)))
    }
    return fields
  }
}

extension PushDeviceChange {
  fileprivate var fields: [(String, JSON)] {
    var fields: [(String, JSON)] = []
    if let isOnline { fields.append(("online", .bool(isOnline))) }
    if let power { fields.append(("power", .string(power.rawValue))) }
    if let isInUse { fields.append(("in_use", .bool(isInUse))) }
    if let hasDebugger { fields.append(("debugger", .bool(hasDebugger))) }
    return fields
  }
}

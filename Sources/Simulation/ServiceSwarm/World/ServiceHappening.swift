internal import LinkspanCore
internal import SimulatedDevices

/// What happened to the server or around it, as its lines show it: nothing but a person reads it.
struct ServiceHappening: Happening {
  let kind: String
  let fields: [(String, JSON)]
}

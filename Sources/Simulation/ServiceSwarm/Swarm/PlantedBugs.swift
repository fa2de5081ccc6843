internal import DeviceRegistry
internal import RegistryRequests

/// Mistakes of the service that can be planted, to see whether the swarm finds them.
package enum PlantedBugs {
  /// Their names, sorted; empty in a release build, which has none.
  package static var names: [String] {
    #if PLANTED_BUGS
      ServiceBug.allCases.map(\.rawValue).sorted()
    #else
      []
    #endif
  }

  /// Does something with a mistake, on this thread alone.
  static func plant(_ name: String?, _ body: () -> Void) {
    #if PLANTED_BUGS
      if let bug = name.flatMap(ServiceBug.init) {
        return ServiceBug.$planted.withValue(bug, operation: body)
      }
    #endif
    body()
  }
}

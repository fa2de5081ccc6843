/// What decides about Handoff on a device, of which no question of the module asks.
package enum HandoffDevice {
  package struct Switches: Hashable, Sendable {
    package init() {}
  }
}

package import AppSiteAssociation
package import Handoff
package import LinkspanCore
internal import LinkspanSpecification

/// What sets one device apart from another, as far as links care.
package struct DeviceTraits: Hashable, Sendable {
  /// Unique in a story.
  package var name: String
  /// Decides which rules apply; may be any release of iOS, macOS or watchOS.
  package var os: OSVersion
  /// Developer mode for associated domains is on (E13).
  package var isDeveloper: Bool
  /// A Simulator on a Mac: reported to have developer mode on by default, and to ask the CDN as devices do (V8).
  package var isSimulator = false
  /// Under management, with direct downloads allowed (E14).
  package var isManaged: Bool
  /// Entries that device management adds to apps, by their identifiers (E17).
  package var managedEntries: [String: [String]] = [:]
  /// Where it is, in a word that hosts' filters by country know.
  package var region: String
  package var handoff = HandoffDevice.Switches()

  package init(
    name: String, os: OSVersion, isDeveloper: Bool = false, isManaged: Bool = false,
    region: String = HostFacts.usualRegion
  ) {
    self.name = name
    self.region = region
    self.os = os
    self.isDeveloper = isDeveloper
    self.isManaged = isManaged
  }

  /// What whatever a Simulator asks for rests on as well; nil for others.
  package var simulatorProvenance: Provenance? { isSimulator ? Provenance(citing: ["V8"]) : nil }
}

/// What is undocumented about the device, as switches.
package struct DeviceSwitches: Hashable, Sendable {
  /// After a failure of the CDN that says `Apple-Try-Direct: true` the device asks the host (inferred reading).
  package var asksHostWhenTold = false
  /// An approved association outlives a re-check that was refused, as by a 404 or a file that is no JSON.
  package var keepsApprovalAfterRefusal = false
  /// The scheduler holds checks back for 15 minutes after a boot (V4, observed).
  package var waitsAfterBoot = false
  /// Pushes are delivered as reports tell rather than as Apple documents (push 7.10, 7.11).
  package var pushesAsObserved = false
  /// Pushes of priority 5 and 1 are grouped and come in bursts, as Apple says they may (push 7.14).
  package var groupsLowPriorityPushes = false

  package init() {}
}

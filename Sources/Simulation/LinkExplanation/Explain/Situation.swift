package import AppSiteAssociation
import LinkspanCore
package import LinkspanSimulator
package import LinkspanStories
package import SimulatedDevices

/// A link about to be followed on one device of a world: the question that is explained.
package struct Situation: Sendable {
  /// What happens up to the question; it ends with the moment of it.
  package var story: Story
  /// The place of the device in the story.
  package var device: Int
  /// The URL as it was written.
  package var link: String
  package var way: WayOfFollowing
  /// The oldest release that the app can be installed on, where the device's own is older.
  package var neededRelease: OSVersion?

  /// - Parameter steps: How many steps of the story's script come before the question; nil for all.
  package init(_ story: Story, device: Int, link: String, way: WayOfFollowing, after steps: Int? = nil) {
    self.story = story
    if let steps { self.story.script = Array(story.script.prefix(steps)) }
    self.device = device
    self.link = link
    self.way = way
  }

  package var url: LinkURL { LinkURL(written: link) }

  /// Those of the device.
  package var traits: DeviceTraits { story.devices[device] }

  /// The answer, with the chain that leads to it.
  package func explained() throws(SimulationError) -> LinkExplanation {
    try Simulation.explain(story, link: url, way: way, device: device, files: AssociationCache()).explanation
  }

  /// The same question in a world with this device alone, and without what a script only looks at.
  ///
  /// It is played far faster. What devices share, the copies of the CDN, may differ: whoever uses it asks whether
  /// the answer is still the same.
  var alone: Situation {
    var copy = self
    copy.device = 0
    copy.story.devices = [traits]
    copy.story.script = story.script.compactMap { step in
      var step = step
      func own(_ devices: [Int]) -> [Int]? { devices.contains(device) ? [0] : nil }
      switch step.action {
      case .install(let apps, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .install(apps: apps, devices: devices)
      case .update(let apps, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .update(apps: apps, devices: devices)
      case .reinstall(let apps, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .reinstall(apps: apps, devices: devices)
      case .delete(let apps, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .delete(apps: apps, devices: devices)
      case .launch(let apps, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .launch(apps: apps, devices: devices)
      case .choose(let browser, let host, let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .choose(browser: browser, host: host, devices: devices)
      case .reboot(let devices):
        guard let devices = own(devices) else { return nil }
        step.action = .reboot(devices: devices)
      case .tap(let links, let way, let devices, _):
        // Only a long press leaves something behind.
        guard way.navigation.choosesBrowser != nil, let devices = own(devices) else { return nil }
        step.action = .tap(links: links, way: way, devices: devices, expectations: [])
      case .expect, .push, .continuity, .clip: return nil
      case .wait, .deploy, .network: break
      }
      return step
    }
    return copy
  }

  // MARK: - The world at the moment of the question

  /// What each host publishes by then.
  var sites: [String: Site] {
    story.script.reduce(into: story.sites) { sites, step in
      if case .deploy(let some) = step.action { sites.merge(some) { $1 } }
    }
  }

  /// How the network treats each host by then.
  var network: [String: HostFacts] {
    story.script.reduce(into: story.network) { network, step in
      if case .network(let some) = step.action { network.merge(some) { $1 } }
    }
  }

  /// Whether the user has chosen the browser there for some host, at some time.
  var hasChosenBrowser: Bool {
    story.script.contains { step in
      switch step.action {
      case .choose(true, _, let devices): devices.contains(device)
      case .tap(_, let way, let devices, _):
        way.navigation.choosesBrowser == true && devices.contains(device)
      default: false
      }
    }
  }

  /// The apps on the device by then, each by its place in the story; the latest build of an identifier.
  var installed: [Int] {
    story.script.reduce(into: []) { places, step in
      func identifiers(_ apps: [Int]) -> Set<String> { Set(apps.map { story.apps[$0].build.identifier }) }
      switch step.action {
      case .install(let apps, let devices), .update(let apps, let devices), .reinstall(let apps, let devices):
        guard devices.contains(device) else { return }
        let replaced = identifiers(apps)
        places.removeAll { replaced.contains(story.apps[$0].build.identifier) }
        places += apps
      case .delete(let apps, let devices):
        guard devices.contains(device) else { return }
        let gone = identifiers(apps)
        places.removeAll { gone.contains(story.apps[$0].build.identifier) }
      default: break
      }
    }
  }
}

import AppSiteAssociation
import LinkspanStories
import SimulatedDevices

extension World {
  /// Carries out what is done on devices: on all of them at once, and it has ended on all of them.
  func perform(_ action: StoryStep.Action, of story: Story) async {
    switch action {
    case .install(let apps, let devices), .update(let apps, let devices):
      let builds = story.builds(apps)
      await onEach(devices) { device in for build in builds { await device.install(build) } }
    case .reinstall(let apps, let devices):
      let builds = story.builds(apps)
      await onEach(devices) { device in
        for build in builds {
          await device.delete(build.identifier)
          await device.install(build)
        }
      }
    case .delete(let apps, let devices):
      let builds = story.builds(apps)
      await onEach(devices) { device in for build in builds { await device.delete(build.identifier) } }
    case .launch(let apps, let devices):
      let builds = story.builds(apps)
      await onEach(devices) { device in for build in builds { await device.launch(build.identifier) } }
    case .choose(let browser, let host, let devices):
      await onEach(devices) { await $0.choose(browser: browser, host: host) }
    case .reboot(let devices): await onEach(devices) { await $0.reboot() }
    case .tap, .wait, .deploy, .network, .expect, .push, .continuity, .clip: break
    }
  }

  func onEach(_ devices: [Int], _ work: @escaping @Sendable (SimulatedDevice) async -> Void) async {
    await withTaskGroup { group in
      for index in devices {
        let device = self.devices[index]
        group.addTask { await work(device) }
      }
    }
  }
}

extension Story {
  fileprivate func builds(_ apps: [Int]) -> [AppBuild] { apps.map { self.apps[$0].build } }
}

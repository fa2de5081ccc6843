import Linkspan

@MainActor
func recipeEntrance<Screen>(
  _ router: Router<Screen>, show: @escaping (Screen) -> Void, openInBrowser: @escaping (String) -> Void,
  report: @escaping (AlertContent) -> Void, uptime: @escaping () -> Duration
) -> ActivityCoordinator<Screen> {
  ActivityCoordinator(
    continuation: ActivityContinuation(router: router), now: uptime,
    actions: .init(
      go: { arrival in
        if case .place(let screen) = arrival { show(screen) }
      }, openInBrowser: openInBrowser, report: report))
}

@MainActor
func recipeAppDidBecomeUsable<Screen>(_ coordinator: ActivityCoordinator<Screen>) {
  coordinator.interfaceIsReady()
}

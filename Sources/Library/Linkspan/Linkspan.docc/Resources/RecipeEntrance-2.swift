import Linkspan

extension ArrivalGate {
  static let login: ArrivalGate = "login"
}

@MainActor
func recipeEntrance<Screen>(
  _ router: Router<Screen>, show: @escaping (Screen) -> Void, openInBrowser: @escaping (String) -> Void,
  report: @escaping (AlertContent) -> Void, showLogIn: @escaping () -> Void, uptime: @escaping () -> Duration
) -> ActivityCoordinator<Screen> {
  ActivityCoordinator(
    continuation: ActivityContinuation(router: router), now: uptime,
    actions: .init(
      go: { arrival in
        if case .place(let screen) = arrival { show(screen) }
      }, openInBrowser: openInBrowser, report: report,
      notice: { if case .waits(_, at: .login) = $0 { showLogIn() } }), gate: .login)
}

@MainActor
func recipeAppDidBecomeUsable<Screen>(_ coordinator: ActivityCoordinator<Screen>) {
  coordinator.interfaceIsReady()
}

@MainActor
func recipeLogInEnded<Screen>(_ coordinator: ActivityCoordinator<Screen>, isLoggedIn: Bool) {
  if isLoggedIn { coordinator.open(gate: .login) } else { coordinator.refuse(gate: .login) }
}

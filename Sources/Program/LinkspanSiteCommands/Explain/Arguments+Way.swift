package import LinkspanCommand
package import LinkspanCore
package import SimulatedDevices

extension Flag {
  /// How a link is followed, for every command that follows one.
  package static let wayOfFollowing = [
    Flag(
      "--from", "WAY", choices: WayOfFollowing.names,
      "How the link is followed: \(WayOfFollowing.names.joined(separator: ", ")) (messages)"),
    Flag(
      "--container", "NAME", choices: Navigation.Container.allCases.map { $0.rawValue },
      "Instead of --from, where the link is: "
        + Navigation.Container.allCases.map { $0.rawValue }.joined(separator: ", ")),
    Flag(
      "--gesture", "NAME", choices: Navigation.Gesture.allCases.map { $0.rawValue },
      "With --container: what moves the link, such as tap, load, type or script (tap, where there is one)"),
    Flag("--page", "URL", "With --from safari, or a tap in --container browser: the page of the link"),
    Flag(
      "--through", "URL", repeats: true,
      "The links that redirect to this one, the tapped one first"),
    Flag("--choice", "WHAT", choices: ["app", "browser"], "With --from long-press: app or browser"),
    Flag(
      "--in", "ID",
      "With --from own-app or webview, --container webview or other-app: the app around the link"),
  ]
}

extension Arguments {
  /// Ways whose link may redirect, by the container that has it.
  private static let containers = [
    "messages": "messages", "mail": "mail", "notes": "notes", "other-app": "other-app", "safari": "browser",
  ]

  /// - Returns: nil when nothing is said.
  package func wayOfFollowing() throws(LinkspanError) -> WayOfFollowing? {
    let details = WayDetails(
      page: value("--page"), through: all("--through"), app: value("--in"),
      choice: value("--choice"), gesture: value("--gesture"))
    let given = [
      "page": "--page", "through": "--through", "app": "--in", "choice": "--choice", "gesture": "--gesture",
    ]
    if let container = value("--container") {
      if has("--from") { throw usage("'--from' does not go with '--container'") }
      do throws(WayProblem) {
        return try WayOfFollowing(container: container, details)
      } catch {
        throw LinkspanError(error.message, help: error.help)
      }
    }
    let name = value("--from")
    // A link in a message that redirects is a chain, and named ways have a name for some of them only.
    if !details.through.isEmpty, let container = Self.containers[name ?? "messages"] {
      do throws(WayProblem) {
        return try WayOfFollowing(container: container, details)
      } catch {
        throw LinkspanError(error.message, help: error.help)
      }
    }
    for (key, names) in WayDetails.ways where !names.contains(name ?? "messages") {
      guard let flag = given[key], has(flag) else { continue }
      let wanted = names.isEmpty ? "--container" : "--from " + names.joined(separator: "' and '--from ")
      throw usage("'\(flag)' goes with '\(wanted)'")
    }
    guard let name else { return nil }
    do throws(WayProblem) {
      return try WayOfFollowing(name: name, details)
    } catch {
      throw LinkspanError(error.message, help: given[error.key].map { "Give it with '\($0)'." })
    }
  }
}

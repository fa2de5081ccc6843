import Linkspan

import struct LinkspanCore.SeededGenerator

/// What a person does, and what the system makes of it: the truth that an app's entrance is held to.
///
/// It knows what was tapped, where and when. It does not know how the library tells arrivals apart.
struct LifeCycleStory: CustomStringConvertible {
  enum Style: Int64, CaseIterable { case delegate, scene, twoWindows, swiftUI }

  enum Kind: Int64, CaseIterable { case link, handoff, scheme, clip, spotlight, unknown, foreign, account }

  struct Item: Hashable, CustomStringConvertible {
    var kind: Kind
    var number: Int64

    var description: String { "\(kind) \(number)" }

    /// Where a person ends who taps it; nil for nowhere.
    var place: String? {
      switch kind {
      case .link, .handoff, .scheme, .clip: "recipe \(number)"
      case .account: "account \(number)"
      case .spotlight: "spotlight \(number)"
      case .unknown: "browser \(number)"
      case .foreign: nil
      }
    }
  }

  enum Move: CustomStringConvertible {
    /// The process starts, by these taps or by the icon.
    case start([Item])
    /// A tap in another app brings this one back from the background.
    case comeBack([Item], window: Int)
    /// In the foreground: a link dragged into a window, a tap in Split View.
    case drop(Item, window: Int)
    /// A second window opens with a link.
    case openWindow(Item)
    case leave
    case kill
    case logIn
    case refuseLogIn
    case logOut
    case pause(milliseconds: Int64)

    var description: String {
      switch self {
      case .start(let items): "start with \(items)"
      case .comeBack(let items, let window): "come back to window \(window) with \(items)"
      case .drop(let item, let window): "drop \(item) into window \(window)"
      case .openWindow(let item): "open a second window with \(item)"
      case .leave: "leave"
      case .kill: "kill"
      case .logIn: "log in"
      case .refuseLogIn: "refuse to log in"
      case .logOut: "log out"
      case .pause(let milliseconds): "wait \(milliseconds) ms"
      }
    }
  }

  var style: Style
  /// Whether the app's adapter tells of the life cycle; code without UIKit may not.
  var isObserved: Bool
  var moves: [Move]
  /// For the times between callbacks.
  var seed: UInt64

  var description: String {
    (["\(style) \(isObserved ? "observed" : "not observed"), seed \(seed)"] + moves.map { "  \($0)" }).joined(
      separator: "\n")
  }

  init(seed: UInt64, kinds: [Kind]) {
    var generator = SeededGenerator(seed: seed)
    self.seed = seed
    style = Style.allCases[Int(generator.draw(0...3))]
    isObserved = !generator.chance(1, in: 4)
    moves = []
    func items(_ least: Int64, _ generator: inout SeededGenerator) -> [Item] {
      var items: [Item] = []
      for _ in 0..<generator.draw(least...(generator.chance(1, in: 4) ? 4 : max(1, least))) {
        let item = Item(
          kind: kinds[Int(generator.draw(0...Int64(kinds.count - 1)))], number: generator.draw(1...3))
        // One road brings one thing once.
        if !items.contains(item) { items.append(item) }
      }
      return items
    }
    var life = 0
    for _ in 0..<generator.draw(1...9) {
      switch life {
      case 0:
        moves.append(.start(items(0, &generator)))
        life = 1
      case 1:
        switch generator.draw(0...9) {
        case 0...2: moves.append(.drop(items(1, &generator)[0], window: Int(generator.draw(0...1))))
        case 3: moves.append(.openWindow(items(1, &generator)[0]))
        case 4: moves.append(.logIn)
        case 5: moves.append(generator.chance(1, in: 2) ? .refuseLogIn : .logOut)
        case 6: moves.append(.pause(milliseconds: generator.draw(1...40_000)))
        default:
          moves.append(.leave)
          life = 2
        }
      default:
        if generator.chance(1, in: 3) {
          moves.append(.kill)
          life = 0
        } else {
          moves.append(.comeBack(items(0, &generator), window: Int(generator.draw(0...1))))
          life = 1
        }
      }
    }
  }
}

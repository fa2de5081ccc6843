internal import LinkspanCommand
internal import LinkspanCore
internal import PushDelivery

/// `linkspan simulate --matrix push`: what happens to each usual push in each state of an app.
enum PushMatrix {
  static func print(_ arguments: Arguments, _ console: Console) {
    for profile in DeliveryProfile.allCases {
      let matrix = DeliveryMatrix(profile: profile)
      if arguments.has("--json") {
        for cell in matrix.json { console.print(cell) }
      } else {
        console.print(text(matrix, console.style), terminator: "")
      }
    }
  }

  /// Each push with the states of the app in which the same comes of it.
  private static func text(_ matrix: DeliveryMatrix, _ style: TextStyle) -> String {
    let title = matrix.profile == .strict ? "As Apple documents it (strict)" : "As it was observed (field)"
    var text = style.bold(title) + "\n"
    for column in matrix.columns {
      text += "\n  \(column.name)\n"
      var groups: [(words: String, states: [String])] = []
      for cell in matrix.cells where cell.column == column.name {
        if let place = groups.firstIndex(where: { $0.words == cell.words }) {
          groups[place].states.append(cell.life.rawValue)
        } else {
          groups.append((cell.words, [cell.life.rawValue]))
        }
      }
      for group in groups {
        text += "    " + group.words.padded(to: 24) + group.states.joined(separator: ", ") + "\n"
      }
    }
    return text + "\n"
  }
}

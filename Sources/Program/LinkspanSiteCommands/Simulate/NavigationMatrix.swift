internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSpecification
import SimulatedDevices

/// `linkspan simulate --matrix links`: what a link does by container, gesture, redirects and release.
enum NavigationMatrix {
  static func print(_ arguments: Arguments, _ console: Console) {
    let table = NavigationTable()
    guard arguments.has("--json") else { return console.printUnbroken(page(table)) }
    for row in table.rows {
      for cell in row.cells { console.print(json(row, cell)) }
    }
  }

  private static func json(_ row: NavigationTable.Row, _ cell: NavigationTable.Cell) -> JSON {
    .object([
      ("type", .string("navigation")), ("container", .string(row.navigation.container.rawValue)),
      ("gesture", .string(row.navigation.gesture.rawValue)), ("page_host", .init(row.navigation.pageHost)),
      ("through", .array(row.navigation.through.map(JSON.string))),
      ("releases", .string(cell.release.name)), ("opens", .string(cell.words)),
      ("certainty", .init(cell.rule?.certainty.rawValue)),
      ("rules", .array((cell.rule?.rules ?? ["section 10 row 11"]).map(JSON.string))),
    ])
  }

  /// The page in the documentation.
  private static func page(_ table: NavigationTable) -> String {
    var text = """
      # What a link does, by container, gesture, redirects and release

      `linkspan simulate --matrix links` prints this page; `make docs` writes it. The simulator's device decides by the same
      function. `explain --from tracker` and `--from redirect` are one chain, and
      `explain --container NAME --gesture NAME --page URL --through URL` describes any row.

      - **app**: the app may open, when its entitlement, its file and the user's choice agree.
      - **browser**, **web-view**: the link stays there, whatever is installed.
      - **disputed**: published sources disagree. **unknown**: none says. `explain` then exits with 2.
      - **nothing**: the call has failed before the redirect.

      A row without a release is the same on all, iOS 9.0 to 26. A chain is decided URL by URL: where the app of the tapped URL
      opens, nothing redirects; rows are about the last URL, where no app opens before. A Mac opens the browser until the
      user has chosen the app (row 15), and a watch points to the iPhone (row 16).


      """
    var rules: [String] = []
    for container in Navigation.Container.allCases {
      text += "## \(container.rawValue)\n\n| gesture | chain | what the link does |\n| --- | --- | --- |\n"
      for row in table.rows where row.navigation.container == container {
        let answers = row.cells.map { cell in
          let cited = cell.rule?.rules ?? ["section 10 row 11"]
          for rule in cited where !rules.contains(rule) { rules.append(rule) }
          let certainty = cell.rule.map { ", \($0.certainty.rawValue)" } ?? ""
          let words = cited.map { $0.replacing("section 10 ", with: "") }.joined(separator: ", ")
          return "\(cell.words) (\(words)\(certainty))"
        }
        text += "| \(row.gesture) | \(row.chain) | \(byRelease(answers)) |\n"
      }
      text += "\n"
    }
    text += "## Sources\n\nRows are those of section 10; `linkspan rules` has every rule.\n\n"
    for rule in rules {
      guard let known = SpecificationRule.named(rule) else { continue }
      text +=
        "- **\(known.identifier)**, \(known.certainty.rawValue): \(known.sentence) Source: \(known.source).\n"
    }
    return text
  }

  /// The answer of all releases, or each answer after the releases that give it.
  ///
  /// - Parameter answers: One for each of ``NavigationTable/releases``, in their order.
  private static func byRelease(_ answers: [String]) -> String {
    var distinct: [String] = []
    for answer in answers where !distinct.contains(answer) { distinct.append(answer) }
    if distinct.count == 1 { return distinct[0] }
    let parts = distinct.map { answer in
      let names = zip(NavigationTable.releases, answers).compactMap { release, given in
        given == answer ? release.name : nil
      }
      return names.joined(separator: ", ") + ": " + answer
    }
    return parts.joined(separator: "; ")
  }
}

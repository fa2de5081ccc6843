import AppLifecycle
import LinkspanCore
import Testing

/// The tables as a person sees them.
@Suite struct MatrixTests {
  @Test func theArrivalTableHasEveryCombination() {
    let matrix = Matrix.arrival()
    #expect(matrix.rows.count == 2 * Entrance.allCases.count)
    for row in matrix.rows { #expect(row.cells.count == matrix.columns.count) }
    let cold = matrix.rows.first { $0.title == "cold, URL of a custom scheme" }
    #expect(cold?.cells[0].text == "launchOptions[.url], application(_:open:options:) (o)")
    #expect(cold?.cells[1].text == "does not launch (o)")
    #expect(cold?.cells[2].text == "connectionOptions.urlContexts")
  }

  @Test func theSimulatorIsARow() {
    let matrix = Matrix.switcher()
    let race = matrix.rows.firstIndex { $0.title == "home, then double press at once" } ?? 0
    let column = matrix.columns.firstIndex(of: "on-background") ?? 0
    #expect(matrix.rows[race].cells[column].text == "visible, live (o)")
    #expect(matrix.rows[race + 1].title == "the same in the Simulator")
    #expect(matrix.rows[race + 1].cells[column].text == "hidden, picture: cover (o)")
  }

  @Test(arguments: [Matrix.arrival(), .switcher(), .policies()]) func isShownInEveryForm(_ matrix: Matrix) {
    #expect(matrix.text(style: .plain).contains(matrix.columns[0]))
    let narrow = matrix.text(style: .plain.fitting(80))
    #expect(narrow.contains("\n  \(matrix.columns[0])"))
    #expect(matrix.svg.hasPrefix("<svg "))
    #expect(!matrix.svg.contains("< "))
    #expect(Matrix.page([matrix]).contains("Content-Security-Policy"))
    guard case .object(let members) = matrix.json,
      case .array(let cells)? = members.first(where: { $0.0 == "cells" })?.1
    else {
      Issue.record("no cells")
      return
    }
    #expect(cells.count == matrix.rows.count * matrix.columns.count)
  }
}

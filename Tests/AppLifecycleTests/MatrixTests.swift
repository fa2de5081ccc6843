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

  /// Every cell of every table is on the page, with its verdict.
  @Test(arguments: [MatrixPage.arrival, .switcher]) func thePageHasEveryCell(_ page: MatrixPage) {
    let html = page.html
    let cells = page.matrices.flatMap { $0.rows.flatMap(\.cells) }
    #expect(html.ranges(of: "<span class=\"tone ").count == cells.count)
    for cell in cells {
      #expect(html.contains("</b>\u{A0}\(Markup.escaped(cell.text))</span>"))
    }
    for matrix in page.matrices { #expect(html.contains("<caption>\(matrix.title)</caption>")) }
    #expect(html.contains("<p class=\"verdict "))
  }

  @Test func thePagesSayWhatTheTablesCountTo() {
    #expect(MatrixPage.arrival.html.contains("In 19 of 50 combinations"))
    #expect(MatrixPage.switcher.html.contains("1 of 8 cover policies hides"))
  }

  @Test(arguments: [Matrix.arrival(), .switcher(), .policies()]) func isShownInEveryForm(_ matrix: Matrix) {
    #expect(matrix.text(style: .plain).contains(matrix.columns[0]))
    let narrow = matrix.text(style: .plain.fitting(80))
    #expect(narrow.contains("\n  \(matrix.columns[0])"))
    #expect(matrix.svg.hasPrefix("<svg "))
    #expect(!matrix.svg.contains("< "))
    guard case .object(let members) = matrix.json,
      case .array(let cells)? = members.first(where: { $0.0 == "cells" })?.1
    else {
      Issue.record("no cells")
      return
    }
    #expect(cells.count == matrix.rows.count * matrix.columns.count)
  }
}

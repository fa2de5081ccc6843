package import LinkspanCore

/// The pages that the navigation names.
package enum Place: String, CaseIterable, Sendable {
  case home, sites, links, devices, push, deliveries, forecast, health

  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

/// A whole page around its content.
package struct Page: Sendable {
  var status = 200
  var title: String
  var place: Place?
  var content: Markup

  package init(_ title: String, _ place: Place?, status: Int = 200, _ content: Markup) {
    self.title = title
    self.place = place
    self.status = status
    self.content = content
  }

  /// - Parameters:
  ///   - user: Who is logged in; nil for the login.
  ///   - form: The hidden field of the form that logs out.
  ///   - attention: What needs somebody; nothing for the login.
  func html(user: String?, form: Markup, attention: Markup) -> Markup {
    let links = Place.allCases.map { other -> Markup in
      let current: Markup = other == place ? " aria-current=\"page\"" : ""
      return "<li><a href=\"/\(other.rawValue)\"\(current)>\(other.title)</a></li>"
    }
    let top: Markup =
      user.map { name in
        """
        <header class="top"><strong>Linkspan</strong><nav aria-label="Pages"><ul>\(links)</ul></nav>\
        <form method="post" action="/logout">\(form)<span class="soft">\(name)</span>\
        <button class="quiet">Log out</button></form></header>
        <section class="strip" aria-label="Needs attention">\(attention)</section>
        """
      } ?? .none
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) – Linkspan</title>
      <link rel="icon" href="data:,"><link rel="stylesheet" href="/console.css"><script src="/console.js" defer></script></head>
      <body><a class="skip" href="#content">Skip to the content</a>
      \(top)
      <main id="content" tabindex="-1">
      \(content)
      </main>\(user == nil ? .none : "<footer><p class=\"soft\"><span id=\"live-state\">As of loading this page</span></p></footer>")</body></html>
      """
  }
}

/// A column of a table.
package struct Column: ExpressibleByStringLiteral {
  let name: String
  /// Whether its cells are numbers, which stand at the right.
  var isCount = false

  package init(stringLiteral name: String) { self.name = name }

  package init(_ name: String, isCount: Bool = false) {
    self.name = name
    self.isCount = isCount
  }

  package static func count(_ name: String) -> Column { Column(name, isCount: true) }
}

extension Markup {
  /// A row of a table whose cells say their column's name. Every `<td` in it is ours: those in values are escaped.
  fileprivate func labelled(by names: [String]) -> Markup {
    let parts = text.split(separator: "<td", omittingEmptySubsequences: false)
    let first = names.count - (parts.count - 1)
    return parts.dropFirst().enumerated().reduce(Markup(stringLiteral: String(parts[0]))) { row, cell in
      let name = names.indices.contains(first + cell.offset) ? names[first + cell.offset] : ""
      return row + "<td data-label=\"\(name)\"" + Markup(stringLiteral: String(cell.element))
    }
  }
}

/// Pieces that several pages use.
package enum Piece {
  /// A table. On a narrow screen each row is a block, and each cell has its column's name before it.
  ///
  /// - Parameter rows: One `<tr>` each; cells of the first columns may be `<th scope="row">`.
  package static func table(_ caption: String, columns: [Column], rows: [Markup]) -> Markup {
    sheet(
      caption, columns.count == 2 ? "wide pair" : "wide", columns,
      rows.map { $0.labelled(by: columns.map(\.name)) })
  }

  /// A table whose columns are compared with each other: it stays one on a narrow screen, and is scrolled sideways.
  package static func matrix(_ caption: String, columns: [Column], rows: [Markup]) -> Markup {
    sheet(caption, "wide matrix", columns, rows)
  }

  private static func sheet(_ caption: String, _ kind: String, _ columns: [Column], _ rows: [Markup])
    -> Markup
  {
    let head = columns.map { column -> Markup in
      "<th scope=\"col\"\(column.isCount ? " class=\"count\"" : .none)>\(column.name)</th>"
    }
    return """
      <div class="\(kind)" tabindex="0" role="region" aria-label="\(caption)"><table><caption>\(caption)</caption>\
      <thead><tr>\(head)</tr></thead><tbody>\(rows)</tbody></table></div>
      """
  }

  package static func notice(_ text: String, _ kind: String = "") -> Markup {
    let role: Markup = kind == "bad" ? " role=\"alert\"" : " role=\"status\""
    return "<p class=\"notice \(kind)\"\(role)>\(text)</p>"
  }

  /// A time as people read it, in UTC.
  package static func time(_ time: WallTime) -> Markup { ReportPage.time(time) }

  /// A time that the API wrote; nothing for none.
  static func time(text: String?) -> Markup {
    guard let text else { return .none }
    return WallTime(text).map { time($0) } ?? "\(text)"
  }

  /// A field of text with its label.
  package static func field(
    _ label: String, name: String, value: String = "", hint: String = "", attributes: Markup = .none,
    error: String? = nil
  ) -> Markup {
    """
    <div class="field"><label for="f-\(name)">\(label)</label>\
    <input id="f-\(name)" name="\(name)" value="\(field: value)"\(attributes)\(description(name, hint, error))>\
    \(hint.isEmpty ? .none : "<span class=\"hint\" id=\"h-\(name)\">\(hint)</span>")\(refusal(name, error))</div>
    """
  }

  /// The attributes with which a screen reader says why a value was refused, and the field's hint.
  private static func description(_ name: String, _ hint: String, _ error: String?) -> Markup {
    let names = (error == nil ? [] : ["e-\(name)"]) + (hint.isEmpty ? [] : ["h-\(name)"])
    let invalid: Markup = error == nil ? .none : " aria-invalid=\"true\""
    return names.isEmpty ? invalid : invalid + " aria-describedby=\"\(names.joined(separator: " "))\""
  }

  private static func refusal(_ name: String, _ error: String?) -> Markup {
    error.map { "<span class=\"bad\" id=\"e-\(name)\">\($0)</span>" } ?? .none
  }

  static func choice(
    _ label: String, name: String, _ options: [(value: String, text: String)], chosen: String
  )
    -> Markup
  {
    let rows = options.map { option -> Markup in
      let mark: Markup = option.value == chosen ? " selected" : ""
      return "<option value=\"\(field: option.value)\"\(mark)>\(option.text)</option>"
    }
    return """
      <div class="field"><label for="f-\(name)">\(label)</label><select id="f-\(name)" name="\(name)">\(rows)</select></div>
      """
  }
}

internal import LinkspanCore

/// A card as a picture, near enough to see whether the texts suit it.
///
/// The proportions are ours; how iOS breaks and shortens lines depends on the device.
package struct CardPicture {
  private let card: Experience
  private let appName: String?

  package init(_ card: Experience, appName: String?) {
    self.card = card
    self.appName = appName
  }

  private static let width = 360
  private static let imageHeight = 240
  /// Ours: letters of a line at the size they are drawn with.
  private static let lineLength = 34

  package var svg: String {
    let image = Self.imageHeight
    let lines = Self.lines(card.subtitle ?? "")
    let textTop = image + 40
    let button = textTop + 24 * lines.count + 22
    let height = button + 108
    let action = (card.action ?? .open).label
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
      viewBox="0 0 \(Self.width) \(height)" font-family="-apple-system, 'Helvetica Neue', Arial, sans-serif">
      <clipPath id="card"><rect width="\(Self.width)" height="\(height)" rx="28"/></clipPath>
      <g clip-path="url(#card)">
      <rect width="\(Self.width)" height="\(height)" fill="#f2f2f7"/>
      <rect width="\(Self.width)" height="\(image)" fill="#c7d7ea"/>
      <text x="\(Self.width / 2)" y="\(image / 2)" font-size="14" fill="#3a4a5c" text-anchor="middle">\
      \(Markup.escaped(card.image ?? "no header image"))</text>
      <text x="24" y="\(textTop)" font-size="22" font-weight="700" fill="#000">\(Markup.escaped(card.title ?? "–"))</text>

      """
    for (index, line) in lines.enumerated() {
      text +=
        "<text x=\"24\" y=\"\(textTop + 26 + 22 * index)\" font-size=\"16\" fill=\"#3c3c43\">\(Markup.escaped(line))</text>\n"
    }
    text += """
      <rect x="24" y="\(button)" width="\(Self.width - 48)" height="48" rx="14" fill="#0067d6"/>
      <text x="\(Self.width / 2)" y="\(button + 31)" font-size="18" font-weight="600" fill="#fff" text-anchor="middle">\
      \(action)</text>
      <text x="24" y="\(button + 82)" font-size="13" fill="#55555c">\(Markup.escaped(appName ?? "the app")) · App Store</text>
      </g>
      </svg>

      """
    return text
  }

  private static func lines(_ text: String) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= lineLength {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

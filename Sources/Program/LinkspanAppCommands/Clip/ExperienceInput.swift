internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// The experience file that a person named, with the pictures it names.
enum ExperienceInput {
  /// - Throws: That it cannot be read, or that its form is wrong; what is wrong with experiences is among the findings.
  static func read(_ path: String) throws(LinkspanError) -> ExperienceFile {
    let file = ExperienceFile(try FileReader.read(path))
    let mistakes = file.findings.filter { $0.rule.hasPrefix("experiences.") }
    guard mistakes.isEmpty else {
      throw LinkspanError(
        "'\(path)' is not an experience file:", findings: mistakes)
    }
    return file
  }

  /// What is wrong with the header images, whose paths begin at the file's folder.
  static func imageFindings(_ file: ExperienceFile) throws(LinkspanError) -> [Finding] {
    let name = file.source.name
    let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
    var findings: [Finding] = []
    var seen: Set<String> = []
    for experience in file.experiences {
      guard let image = experience.image, seen.insert(image).inserted else { continue }
      let path = image.hasPrefix("/") ? image : folder + image
      let isThere = try FileReader.kind(of: path) == .file
      findings += HeaderImage.findings(
        isThere ? try FileReader.bytes(path) : nil, name: image,
        at: file.location(experience.range))
    }
    return findings
  }

  /// A URL as a person typed it, refused where it is none.
  static func url(_ text: String, _ arguments: Arguments) throws(LinkspanError) -> String {
    guard ClipAddress(text) != nil else {
      throw arguments.usage(
        "'\(text.withoutUserInformation)' is not a URL; write it in full, such as https://example.com/shop")
    }
    return text
  }
}

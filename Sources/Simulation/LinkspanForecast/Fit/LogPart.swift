internal import LinkspanCore

/// A file of counts that `forecast --fit --partial` wrote, or several of them one behind the other, as it is read.
package struct LogPart {
  private var announcedHours = 0
  private var hours = 0
  private var heads = 0

  package init() {}

  /// Adds a line of it.
  ///
  /// - Throws: What is wrong with the line.
  package mutating func add(
    _ line: [UInt8], to counts: inout LogCounts
  ) throws(LogCounts.PartProblem) {
    let document = JSONParser.parse(line)
    guard let root = document.root, document.errors.isEmpty else {
      throw LogCounts.PartProblem(message: "the line is not JSON, or it is cut off")
    }
    switch try counts.add(part: root) {
    case .head(let hours):
      heads += 1
      announcedHours += hours
    case .hour: hours += 1
    }
  }

  /// - Throws: That lines are missing, or are there twice.
  package func finish() throws(LogCounts.PartProblem) {
    guard heads > 0 else {
      throw LogCounts.PartProblem(
        message: "the file has no line of type 'fit-part', so it is empty or cut off")
    }
    guard hours == announcedHours else {
      throw LogCounts.PartProblem(
        message: "the file announces \(announcedHours.counted("hour")) and holds \(hours), so "
          + (hours < announcedHours ? "it is cut off" : "lines are there twice"))
    }
  }
}

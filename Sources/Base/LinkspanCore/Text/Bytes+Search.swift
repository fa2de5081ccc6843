// The standard library searches texts by its module for regular expressions, whose generic types are made at run time: the
// first search of a process cost as much as checking a small file.

extension Array<UInt8> {
  /// Whether the bytes of a text occur.
  package func holds(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard let first = wanted.first else { return true }
    var place = 0
    while place + wanted.count <= count {
      if self[place] == first, self[place..<place + wanted.count].elementsEqual(wanted) { return true }
      place += 1
    }
    return false
  }
}

extension String {
  /// Whether the bytes of another text occur.
  package func holds(_ text: String) -> Bool { Array(utf8).holds(text) }
}

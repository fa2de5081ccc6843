import LinkspanCore
import Testing

@Suite struct PunycodeTests {
  /// RFC 3492, section 7.1, samples (A) to (S) that need no mixed-case annotation.
  @Test(arguments: [
    ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
    ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
    ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
    ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
    ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
    ("maji", "maji-"),
    ("そのスピードで", "d9juau41awczczp"),
    ("-> $1.00 <-", "-> $1.00 <--"),
    ("bücher", "bcher-kva"),
    ("", ""),
  ])
  func encodesTheVectorsOfTheRFC(label: String, expected: String) {
    #expect(Punycode.encoded(label) == expected)
  }

  @Test func encodesAVeryLongLabelOrSaysItCannot() {
    let label = String(repeating: "\u{10FFFF}a", count: 3000)
    #expect(Punycode.encoded(label) != "")
  }
}

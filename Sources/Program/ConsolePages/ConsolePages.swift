package import LinkspanConsole

extension [ConsolePage] {
  /// The pages of the console that need the simulator or a forecast, which a service does not know.
  package static var ofTheProgram: [ConsolePage] { LinksPage.all + CohortPage.all + UpdatePage.all }
}

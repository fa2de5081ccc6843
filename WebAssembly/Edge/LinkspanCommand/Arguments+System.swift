extension Arguments {
  package func configurationPath(isWanted: Bool) -> String? { value("--config") }
}

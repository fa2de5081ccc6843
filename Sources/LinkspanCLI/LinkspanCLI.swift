@main
struct LinkspanCLI {
  static func main() { print("linkspan") }
}

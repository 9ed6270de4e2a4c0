package main
import x "rths/run/session"
var ref any = x.Reactions
func main() { println(&ref) }

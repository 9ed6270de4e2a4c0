package main
import x "rths/result/record"
var ref any = x.NewKept
func main() { println(&ref) }

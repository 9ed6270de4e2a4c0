package plotting

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// powerOfTen is a power that the fonts of images do not have, as 10⁻⁶.
var powerOfTen = regexp.MustCompile(`10(⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)`)

// PlainDigits writes raised digits as plain ones.
var PlainDigits = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6",
	"⁷", "7", "⁸", "8", "⁹", "9")

// PlainPowers writes 10⁻⁶ as 1e-6, for images.
func PlainPowers(text string) string {
	return powerOfTen.ReplaceAllStringFunc(text, func(power string) string {
		return "1e" + PlainDigits.Replace(strings.TrimPrefix(power, "10"))
	})
}

var exponent = regexp.MustCompile(`e([+-])0*(\d+)$`)

// Powers writes 1.2e-07 as 1.2·10⁻⁷.
func Powers(number string) string {
	return exponent.ReplaceAllStringFunc(number, func(e string) string {
		part := exponent.FindStringSubmatch(e)
		return "·10" + Superscript(part[1]+part[2])
	})
}

// Superscript writes a power such as -06 with raised digits.
func Superscript(power string) string {
	return strings.NewReplacer("+", "", "-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶",
		"7", "⁷", "8", "⁸", "9", "⁹").Replace(power)
}

// Short is a name on one line with letters left out in the middle if it is long.
func Short(name string, letters int) string {
	runes := []rune(strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}), " "))
	if len(runes) <= letters {
		return string(runes)
	}
	head := (letters - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(letters-1-head):])
}

// CountOf is a number of things.
func CountOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Decade writes digit · 10^e.
func Decade(digit float64, e int) string {
	if e >= -3 && e <= 4 {
		return strconv.FormatFloat(digit*math.Pow10(e), 'g', 6, 64)
	}
	return fmt.Sprintf("%ge%d", digit, e)
}

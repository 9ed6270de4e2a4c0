// The arithmetic of numbers that are dragged. A number is its text: what is added are units of one of its digits, so
// that 0.4 becomes 0.41 and never 0.41000000000000003.

const form = /^([-+]?)(\d*)(?:(\.)(\d*))?(?:([eE])([-+]?\d+))?$/

// parse gives the digits of a number as an integer, how many of them are behind the point, and the power of ten; null
// if the text is no decimal number. 010 is none: YAML 1.1 takes it for octal.
function parse(text) {
  const found = form.exec(text)
  if (!found) return null
  const [, sign, whole, point, part = "", letter = "", power = ""] = found
  if (whole + part === "" || !point && !letter && /^0\d/.test(whole)) return null
  const digits = BigInt(whole + part)
  return {sign, digits: sign === "-" ? -digits : digits, behind: part.length, point: !!point, letter, power}
}

export const isNumber = text => parse(text) !== null

const size = n => n < 0n ? -n : n
const ten = n => 10n ** BigInt(n)

// place is the power of ten that one tick adds before the exponent: the last of two or three digits of the number, of
// as many as are written. A finer tick is a tenth of it. Integers stay integers.
function place({digits, behind, point, letter}, finer) {
  const written = size(digits).toString().length
  let at = digits === 0n ? -behind : written - behind - Math.min(Math.max(written, 2), 3)
  if (finer) at--
  return point || letter ? at : Math.max(at, 0)
}

// step is the text of a number some ticks later. Digits below one tick are rounded away in the direction of the ticks.
// Other texts, and no ticks, give the text itself.
export function step(text, ticks, finer = false) {
  const number = parse(text)
  if (!number || !ticks) return text
  const at = place(number, finer)
  const behind = Math.max(number.behind, -at)
  const digits = number.digits * ten(behind - number.behind)
  const unit = ten(at + behind)
  let units = digits / unit // towards zero
  const rest = digits % unit
  if (ticks > 0 && rest < 0n) units--
  if (ticks < 0 && rest > 0n) units++
  const shown = Math.max(-at, number.point ? 1 : 0)
  return write((units + BigInt(ticks)) * unit / ten(behind - shown), shown, number)
}

// write is the text of digits with some of them behind the point, in the style of a number. A mantissa from 1 to 10
// stays one.
function write(digits, behind, {sign, digits: old, behind: oldBehind, point, letter, power}) {
  let exponent = Number(power)
  const normal = n => size(n.digits) >= ten(n.behind) && size(n.digits) < ten(n.behind + 1)
  if (letter && digits !== 0n && normal({digits: old, behind: oldBehind})) {
    const least = behind
    const move = size(digits).toString().length - 1 - behind
    behind += move
    exponent += move
    for (; behind > least && digits % 10n === 0n; behind--) digits /= 10n
    for (; behind < (point ? 1 : 0); behind++) digits *= 10n
  }
  const text = size(digits).toString().padStart(behind + 1, "0")
  const mantissa = behind > 0 ? text.slice(0, -behind) + "." + text.slice(-behind) : text
  const before = digits < 0n ? "-" : sign === "+" && digits > 0n ? "+" : ""
  return before + mantissa + (letter && letter + exponentText(exponent, power))
}

// exponentText keeps the sign and the width of an exponent: e+06, e-3.
function exponentText(exponent, power) {
  const sign = exponent < 0 ? "-" : power.startsWith("+") ? "+" : ""
  return sign + String(Math.abs(exponent)).padStart(power.replace(/^[-+]/, "").length, "0")
}

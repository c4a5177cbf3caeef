const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Prints a count in full: `12,345`. */
export function count(value: number): string {
  return whole.format(value)
}

/** Prints a count in three digits or so: `12.3K`. */
export function compact(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(Math.round(value)) : short.format(value)
}

/** Prints a rate a second. */
export function perSecond(value: number): string {
  return `${value >= 100 ? compact(value) : trim(value.toFixed(value >= 10 ? 1 : 2))}/s`
}

/** Prints a part of a whole as a percentage, never as 0 % or 100 % where it is not. */
export function percent(part: number, of: number): string {
  if (of === 0) return '–'
  const value = (part / of) * 100
  if (value === 0 || value === 100) return `${value} %`
  if (value < 0.01) return '< 0.01 %'
  if (value > 99.99) return '> 99.99 %'
  return `${trim(value.toFixed(value < 1 || value > 99 ? 2 : 1))} %`
}

/** Prints milliseconds: `0.4 ms`, `120 ms`, `3.2 s`. */
export function ms(value: number): string {
  if (value >= 10_000) return `${(value / 1_000).toFixed(0)} s`
  if (value >= 1_000) return `${trim((value / 1_000).toFixed(2))} s`
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? trim(value.toFixed(1)) : trim(value.toFixed(2))} ms`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB']
/** Prints bytes in powers of a thousand. */
export function bytes(value: number): string {
  let [size, unit] = [value, 0]
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1]
  return `${unit === 0 ? size : size >= 100 ? size.toFixed(0) : trim(size.toFixed(1))} ${units[unit]}`
}

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const
/** Prints a span of time in its two largest units: `3d 4h`, `12s`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000))
  const at = spans.findIndex(([, length]) => seconds >= length)
  if (at < 0) return '0s'
  const [name, length] = spans[at]!
  const largest = `${Math.floor(seconds / length)}${name}`
  const next = spans[at + 1]
  const rest = next === undefined ? 0 : Math.floor((seconds % length) / next[1])
  return rest === 0 ? largest : `${largest} ${rest}${next![0]}`
}

/** Prints how long ago a moment was, or how far ahead it is. */
export function ago(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (distance < 5_000) return 'now'
  return at <= now ? `${first(distance)} ago` : `in ${first(distance)}`
}

function first(distance: number): string {
  return span(distance).split(' ')[0]!
}

const moment = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { year: 'numeric', month: 'short', day: 'numeric' })

/** Prints a moment in local time. */
export function dateTime(at: number): string {
  return moment.format(at)
}

/** Prints the date of a moment. */
export function date(at: number): string {
  return day.format(at)
}

/** Prints the time of day, with `digits` of a second. */
export function timeOfDay(at: number, digits: 0 | 3 = 0): string {
  const text = clockTime.format(at)
  return digits === 0 ? text : `${text}.${String(Math.floor(at) % 1_000).padStart(3, '0')}`
}

/** Prints `1 key`, `2 keys`. */
export function plural(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

function trim(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

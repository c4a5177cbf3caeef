/** The progress of a transfer. */
export interface Progress {
  readonly bytes: number
  /** Undefined if the size is not known. */
  readonly total: number | undefined
  readonly elapsedMs: number
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
const widestBar = 30
const narrowestBar = 8

/** Prints a line of fewer than `columns` characters: bytes and rate; with a known total, also share, bar and time left. */
export function progressLine({ bytes, total, elapsedMs, columns }: Progress & { readonly columns: number }): string {
  const perMs = elapsedMs > 0 ? bytes / elapsedMs : 0
  const rate = `${sizeText(perMs * 1_000)}/s`
  // A file may grow while it is read.
  if (total === undefined || bytes > total) return fit(`${sizeText(bytes)}  ${rate}`, columns)
  const share = total === 0 ? 1 : bytes / total
  const left = perMs > 0 ? [`${durationText((total - bytes) / perMs / 1_000)} left`] : []
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  const tail = [`${sizeText(bytes)} of ${sizeText(total)}`, rate, ...left].join('  ')
  const width = Math.min(widestBar, columns - percent.length - tail.length - 7)
  if (width < narrowestBar) return fit(`${percent}  ${tail}`, columns)
  const done = Math.floor(share * width)
  return `${percent}  [${'='.repeat(done)}${' '.repeat(width - done)}]  ${tail}`
}

/** Prints bytes in a fitting unit: `512 B`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  // A value that would print as 1024.0 moves to the next unit.
  for (; value >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1; unit++) value /= 1024
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** Prints seconds as `5 s`, `2 min 5 s`, `3 h 2 min`. */
export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}

function fit(text: string, columns: number): string {
  return text.slice(0, Math.max(columns - 1, 0))
}

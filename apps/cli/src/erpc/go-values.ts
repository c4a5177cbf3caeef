import type { Cursor } from './ledger.ts'

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Reads a time as Go writes it (`1m30s`, `500ms`) in ms, a number as ms; undefined for another value and for none. */
export function readDuration(cursor: Cursor | undefined): number | undefined {
  const value = cursor?.value
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? parse(value) : undefined
  if (ms === undefined || ms < 1 || ms > 2 ** 31 - 1) return undefined
  cursor!.use()
  return Math.round(ms)
}

function parse(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)
  return Array.from(parts, ([, count, unit]) => Number(count) * units[unit!]!).reduce((sum, part) => sum + part, 0)
}

/** Prints a time as a configuration has it: `30s`, `1500ms`. */
export function printDuration(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`
}

/** Reads a size such as `512MB` in bytes; undefined for another value. */
export function readSize(cursor: Cursor | undefined): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([kmg]?)i?b?$/i.exec(String(cursor?.value ?? '')) ?? []
  if (count === undefined) return undefined
  cursor!.use()
  return Math.round(Number(count) * 1024 ** ['', 'k', 'm', 'g'].indexOf(unit!.toLowerCase()))
}

/** The names of a pattern such as `eth_call|trace_*` if each is one of ours: a name, or a prefix and `*`; else undefined. */
export function readPatterns(pattern: string): readonly string[] | undefined {
  const names = pattern.split('|').map((name) => name.trim())
  return names.every((name) => /^\w+\*?$/.test(name)) ? names : undefined
}

/** Makes a name of letters, digits, `-` and `_` of any text; undefined if nothing is left. */
export function nameOf(text: string | undefined): string | undefined {
  const name = text
    ?.replaceAll(/[^\w-]+/g, '-')
    .replace(/^[^A-Za-z\d]+/, '')
    .slice(0, 63)
  return name === '' ? undefined : name
}

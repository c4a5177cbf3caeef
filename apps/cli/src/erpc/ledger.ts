import type { Source } from '@wayleave/gateway'
import { type IssuePath, printPath } from '@wayleave/jsonrpc-core/schema'
import { whyLeft } from './why-left.ts'

/** A member of an eRPC configuration that is not in the converted one, or not as it was. */
export interface Remark {
  readonly path: string
  readonly line?: number
  readonly column?: number
  /** Whether a part of it was carried over. */
  readonly isPart: boolean
  /** A clause for a person, without a value. */
  readonly why: string
}

/** A place in an eRPC configuration, which remembers what was read. */
export interface Cursor {
  readonly path: IssuePath
  readonly value: unknown
  /** A member; undefined if it is absent or null. */
  get(name: string): Cursor | undefined
  /** The entries of a list; an object counts as a list of one. */
  items(): readonly Cursor[]
  members(): readonly (readonly [name: string, member: Cursor])[]
  /** Reads a text or a number, with each `$NAME` as `${NAME}`; undefined for another value. */
  text(): string | undefined
  /** Reads a finite number, or digits; undefined for another value. */
  number(): number | undefined
  flag(): boolean | undefined
  /** Counts all in it as carried over. */
  use(): void
  /** Counts all in it as not carried over. */
  leave(why: string): void
  /** Says what is different in the converted configuration. */
  remark(why: string): void
}

/** Opens a source; `remarks` lists what was left when all has been read, in the order of the file. */
export function openLedger({ value, placeOf }: Source): { readonly root: Cursor; remarks(): readonly Remark[] } {
  const seen = new Set<string>()
  const reported: Remark[] = []

  function report(path: IssuePath, isPart: boolean, why: string): void {
    const printed = printPath(path)
    if (!reported.some((remark) => remark.path === printed && remark.why === why))
      reported.push({ path: printed, ...placeOf(path), isPart, why })
  }

  function see(path: IssuePath, inner: unknown): void {
    seen.add(printPath(path))
    for (const [step, member] of entriesOf(inner)) see([...path, step], member)
  }

  function at(path: IssuePath, here: unknown): Cursor {
    const member = (step: string | number, inner: unknown): Cursor => at([...path, step], inner)
    const read = <T>(wanted: T | undefined): T | undefined => {
      if (wanted !== undefined) see(path, here)
      return wanted
    }
    return {
      path,
      value: here,
      get(name) {
        const found = entriesOf(here).find(([step]) => step === name)?.[1]
        return found === undefined || found === null || Array.isArray(here) ? undefined : member(name, found)
      },
      items: () => (Array.isArray(here) ? here.map((inner, i) => member(i, inner)) : [at(path, here)]),
      members: () =>
        Array.isArray(here) ? [] : entriesOf(here).map(([step, inner]) => [String(step), member(step, inner)] as const),
      text: () => read(typeof here === 'string' || typeof here === 'number' ? variables(String(here)) : undefined),
      number: () => read(numberOf(here)),
      flag: () => read(typeof here === 'boolean' ? here : undefined),
      use: () => see(path, here),
      leave(why) {
        see(path, here)
        report(path, false, why)
      },
      remark: (why) => report(path, true, why),
    }
  }

  /** Whether anything in it was read. */
  function isTouched(path: IssuePath, inner: unknown): boolean {
    return seen.has(printPath(path)) || entriesOf(inner).some(([step, member]) => isTouched([...path, step], member))
  }

  function rest(path: IssuePath, inner: unknown): void {
    if (seen.has(printPath(path)) || inner === null || inner === undefined) return
    const entries = entriesOf(inner)
    if (typeof inner === 'object' && entries.length === 0) return
    // A list is told entry by entry where only some of it was read.
    if (path.length === 0 || isTouched(path, inner)) for (const [step, member] of entries) rest([...path, step], member)
    else report(path, false, whyLeft(path))
  }

  return {
    root: at([], value),
    remarks() {
      rest([], value)
      return reported.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
    },
  }
}

function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return [...value.entries()]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** eRPC takes `$NAME`, too. */
function variables(text: string): string {
  return text.replaceAll(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced?: string, bare?: string) => `\${${braced ?? bare}}`,
  )
}

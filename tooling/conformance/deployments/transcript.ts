import type { Answer } from './callers.ts'

/** The answers of a run, by the names of the calls, with every value that no two runs have in common replaced. */
export interface Transcript {
  readonly entries: ReadonlyMap<string, string>
  /** Has a text be written as `<name>` from here on, and back to the first entry. */
  hide(text: string, name: string): void
  add(name: string, lines: readonly string[]): void
  answer(name: string, answer: Answer): void
}

/** Headers of Node and of the connection. */
const ofNode = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])
/** Headers that say whether this process had kept the answer, or who gave it: each process has a memory of its own, and it moves with the clock. */
const ofMemory = new Set(['x-wayleave-cache', 'x-wayleave-upstream', 'x-wayleave-attempts'])

const volatile: readonly (readonly [RegExp, string])[] = [
  [/\b[\da-f]{32}(-\d+)?\b/g, '<trace>$1'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<date>'],
  [/(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
  [/\b1[5-9]\d{11}\b/g, '<ms>'],
  // It is written every ten seconds.
  [/,"lastUsedAt":<ms>/g, ''],
  // Blooms and other runs of one digit, to be short.
  [/0x([\da-f])\1{39,}/g, '0x<$1…>'],
  [/"blocksBehindMs":\d+/g, '"blocksBehindMs":<ms>'],
  [/"current_rps":[\d.]+/g, '"current_rps":"<rate>"'],
  // The rest of a limit, and its end, move with the clock.
  [/;r=\d+;t=\d+/g, ';r=<left>;t=<s>'],
]

export function createTranscript(): Transcript {
  const raw = new Map<string, string>()
  const hidden = new Map<string, string>()
  function normalised(text: string): string {
    let all = text
    for (const [secret, name] of hidden) all = all.replaceAll(secret, `<${name}>`)
    for (const [pattern, by] of volatile) all = all.replaceAll(pattern, by)
    return all
  }
  function add(name: string, lines: readonly string[]): void {
    if (raw.has(name)) throw new Error(`two entries are named ${name}`)
    raw.set(name, lines.join('\n').trim())
  }
  return {
    get entries() {
      return new Map([...raw].map(([name, text]) => [name, normalised(text)]))
    },
    hide: (text, name) => void hidden.set(text, name),
    add,
    answer(name, { status, headers, text }) {
      const ours = Object.entries(headers).filter(([header]) => !ofNode.has(header) && !ofMemory.has(header))
      add(name, [String(status), ...ours.map(([header, value]) => `${header}: ${String(value)}`), text])
    },
  }
}

const mark = '=== '

/** Prints entries as the text that is kept. */
export function printEntries(entries: ReadonlyMap<string, string>): string {
  return [...entries].map(([name, text]) => `${mark}${name}\n${text}\n`).join('\n')
}

/** Reads the entries of a text. */
export function readEntries(text: string): ReadonlyMap<string, string> {
  return new Map(
    `\n${text}`
      .split(`\n${mark}`)
      .slice(1)
      .map((part): [string, string] => {
        const end = part.indexOf('\n')
        return [part.slice(0, end), part.slice(end + 1).trim()]
      }),
  )
}

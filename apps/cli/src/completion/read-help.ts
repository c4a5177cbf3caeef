/** A flag as a help text tells of it. */
interface HelpFlag {
  /** With its dashes: `--network`, `-o`. */
  readonly name: string
  /** The name of its value, such as `FILE`; undefined if it takes none. */
  readonly value: string | undefined
  readonly summary: string
}

/** A word that may follow, such as a subcommand or a method. */
interface HelpWord {
  readonly name: string
  readonly summary: string
}

/** The words and flags of a help text. */
export interface HelpEntries {
  readonly words: readonly HelpWord[]
  readonly flags: readonly HelpFlag[]
}

/** A row: two spaces, what it is about, and behind two spaces more what that means. */
const row = /^ {2}(\S(?:.*?\S)?)(?: {2,}(.*))?$/
const flag = /(?:^|[\s,])(--?)(\[no-\])?([A-Za-z][\w-]*(?:=[a-z]+)?)(?: ([A-Z][\w|.]*))?/g
/** A word with its arguments: `tx HASH`, `cat CID[/PATH]`, `pin add|rm|ls`. */
const word = /^([a-z][\w-]*)(?: (?:[^a-z\s]\S*|\S+\|\S+|\[\S+))*$/

/** Reads the rows of a help text, and the words behind `path` in its lines of usage. */
export function readHelp(text: string, path: readonly string[]): HelpEntries {
  const words = new Map<string, string>()
  const flags: HelpFlag[] = []
  const lines = text.split('\n')
  for (const [i, line] of lines.entries()) {
    const used = /^(?:Usage:| {6}) wayleave (.*)$/.exec(line)?.[1]
    const next = used === undefined ? undefined : wordBehind(path, used)
    if (next !== undefined && !words.has(next.name)) words.set(next.name, next.summary)
    const [, head = '', reported] = row.exec(line) ?? []
    const summary = reported ?? /^ {6,}(\S.*)$/.exec(lines[i + 1] ?? '')?.[1] ?? ''
    if (head.startsWith('-')) flags.push(...flagsOf(head, summary))
    // A param with a flag: `CONTRACT_ADDRESS   --contract-address: a felt`.
    const [, named, about] = /^(--[a-z-]+): (.*)$/.exec(reported ?? '') ?? []
    if (named !== undefined) flags.push({ name: named, value: head, summary: about! })
    const name = reported === undefined ? undefined : word.exec(head)?.[1]
    if (name !== undefined && !words.has(name)) words.set(name, reported!)
  }
  return { words: Array.from(words, ([name, summary]) => ({ name, summary })), flags }
}

function flagsOf(head: string, summary: string): readonly HelpFlag[] {
  const found = Array.from(head.matchAll(flag), ([, dashes, no, name, value]) => ({ dashes, no, name, value }))
  // `-o, --output PATH`: both take a value.
  const last = found.at(-1)?.value
  return found.flatMap(({ dashes, no, name, value }) => {
    const own = { name: `${dashes}${name}`, value: dashes === '-' ? last : value, summary }
    return no === undefined ? [own] : [own, { ...own, name: `${dashes}no-${name}` }]
  })
}

function wordBehind(path: readonly string[], usage: string): HelpWord | undefined {
  const [used = '', summary = ''] = usage.split(/ {2,}/)
  const parts = used.split(' ')
  const name = parts[path.length]
  if (name === undefined || !/^[a-z][\w-]*$/.test(name)) return undefined
  return path.every((part, i) => part === parts[i]) ? { name, summary } : undefined
}

import { readFileSync, writeFileSync } from 'node:fs'

/** One method of an interface that is printed from a method table. */
export interface PrintedMethod {
  /** As the interface has it, without prefix. */
  readonly name: string
  /** As the table has it. */
  readonly method: string
  readonly summary: string
  readonly source: string
  /** Behind the name: type parameters and params, such as `(options?: CallOptions)`. */
  readonly typeParams?: string
  readonly params: readonly string[]
  readonly result: string
}

/** Prints an interface whose members carry the sentences of a method table, so that an editor shows them. */
export function printInterface(doc: string, head: string, methods: readonly PrintedMethod[]): string {
  // Modules list what they export in an order of their own.
  const sorted = methods.toSorted((a, b) => (a.method < b.method ? -1 : 1))
  const members = sorted.map(({ name, method, summary, source, typeParams = '', params, result }) => {
    const sentences = `${summary} Source: \`${method}\` in ${source}.`
    const oneLine = `  ${name}${typeParams}(${params.join(', ')}): ${result}`
    const lines = [`  ${name}${typeParams}(`, ...params.map((param) => `    ${param},`), `  ): ${result}`].join('\n')
    return `  /** ${sentences} */\n${oneLine.length <= 120 ? oneLine : lines}\n`
  })
  return `${doc}\nexport interface ${head} {\n${members.join('')}}\n`
}

/** The text of a printed file of `src`; `text` is what it should be, and becomes with PRINT=1 in the environment. */
export function printed(file: string, text: string): string {
  const place = new URL(`../src/${file}`, import.meta.url)
  if (process.env['PRINT'] === '1') writeFileSync(place, text)
  return readFileSync(place, 'utf8')
}

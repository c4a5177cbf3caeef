import type { AnySchema } from '@wayleave/jsonrpc-core/schema'
import { defaultPrice, defaultPrices } from '@wayleave/metering'
import { starknetErrorsOf, starknetMethods as tables, starknetVersions } from '@wayleave/starknet-types'
import type { Generated } from '../page.ts'
import { cacheWords, effectWords } from './method-words.ts'
import { codes, table } from './table.ts'

/** The facts of a method in one version, without its types. */
interface Facts {
  readonly summary: string
  readonly source: string
  readonly effect: 'read' | 'write' | 'session'
  readonly cache?: 'fixed' | 'block' | 'range' | 'result' | 'head'
  readonly paramNames: readonly string[]
  readonly errors: readonly number[]
  readonly result: AnySchema
}

type Version = (typeof starknetVersions)[number]

const methodsOf = (version: Version): Readonly<Record<string, Facts>> => ({ ...tables[version] })

/** Makes the reference of Starknet methods from their table, with what each version changed. */
export async function starknetMethods(): Promise<Generated> {
  const names = [...new Set(starknetVersions.flatMap((version) => Object.keys(methodsOf(version))))]
  const presence = names.map((name) => [
    `[\`${name}\`](#${name.toLowerCase()})`,
    ...starknetVersions.map((version) => (name in methodsOf(version) ? 'yes' : '–')),
  ])
  const newest = starknetErrorsOf('0.10')
  const errors = Object.entries(newest).map(([code, entry]) => [code, `\`${entry!.name}\``, entry!.message])
  return {
    source: 'packages/starknet-types/src/methods/table.ts',
    markdown: `# Starknet methods

The methods of Starknet's JSON-RPC in every version from 0.5.1 to 0.10. A caller chooses its version by the path, such as \`/v3/<key>/rpc/v0_8\`; the nodes behind the gateway
may speak any other one. [How versions are translated](../operate/starknet.md), and what is refused because it cannot be.

${table(['method', ...starknetVersions], presence)}

## Methods

${names.map(methodText).join('\n')}
## Errors

As version 0.10 words them.

${table(['code', 'name', 'message'], errors)}
`,
  }
}

function methodText(name: string): string {
  const known = starknetVersions.filter((version) => name in methodsOf(version))
  const last = methodsOf(known.at(-1)!)[name]!
  const rows = known.map((version) => {
    const { paramNames, errors } = methodsOf(version)[name]!
    return [version, paramNames.length === 0 ? 'none' : codes(paramNames), errors.join(', ')]
  })
  // A version that changed nothing is told with the one before it.
  const merged: string[][] = []
  for (const [version, ...facts] of rows) {
    const before = merged.at(-1)
    if (before !== undefined && before.slice(1).join() === facts.join())
      before[0] = `${before[0]!.split(' ')[0]} to ${version}`
    else merged.push([version!, ...facts])
  }
  const price = defaultPrices['starknet']![name] ?? defaultPrice
  return `### ${name}

${last.summary}

${table(['version', 'params', 'errors'], merged)}

Result: ${last.result.expected}.
${effectWords[last.effect]} ${cacheWords(last.cache)} ${price} credits. Defined by ${last.source}.
`
}

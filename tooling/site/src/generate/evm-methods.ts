import { evmMethods as methods } from '@wayleave/evm-types'
import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import type { MethodFacts, OpenRpcMethod } from '@wayleave/jsonrpc-core/schema'
import { defaultPrice, defaultPrices } from '@wayleave/metering'
import type { Generated } from '../page.ts'
import { inWords, type JsonSchema, schemaText } from './json-schema.ts'
import { cacheWords, effectWords } from './method-words.ts'
import { table } from './table.ts'

const groups: readonly (readonly [title: string, names: RegExp])[] = [
  ['Ethereum', /^(?:eth|net|web3)_/],
  ['Debugging', /^debug_/],
  ['Traces', /^trace_/],
  ['The transaction pool', /^txpool_/],
  ['Rollups', /^(?:rollup|optimism)_/],
]

/** Makes the reference of EVM and rollup methods from their table. */
export async function evmMethods(): Promise<Generated> {
  const document = evmOpenRpcDocument('1')
  const parts = groups.map(([title, names]) => {
    const own = document.methods.filter(({ name }) => names.test(name))
    return `## ${title}\n\n${own.map(methodText).join('\n')}`
  })
  const schemas = Object.entries(document.components.schemas as Readonly<Record<string, JsonSchema>>)
  const count = document.methods.length
  return {
    source: 'packages/evm-types/src/methods',
    markdown: `# EVM and rollup methods

The ${count} methods that the gateway, the client and the \`wayleave\` command know, from the one table that all of them use. A method that is not here is forwarded
all the same, as a call that may change something: it is neither shared, nor kept, nor repeated.

Each method has its params in their order, its result, whether a call may be repeated and for how long its answer is kept, its price in credits where no
[\`prices\`](./configuration.md) say otherwise, and the definition that it follows. [The same as OpenRPC](./documents.md).

${parts.join('\n')}
## Values

${schemas.map(([name, schema]) => `### ${name}\n\n${schemaText(schema)}`).join('\n')}`,
  }
}

function methodText({ name, summary, params, result, ...facts }: OpenRpcMethod): string {
  const rows = params.map((param) => [`\`${param.name}\``, param.required ? 'required' : '', inWords(param.schema)])
  const fact = (methods as MethodFacts)[name]!
  const price = defaultPrices['evm']![name] ?? defaultPrice
  const lines = [
    `Result: ${inWords(result.schema)}.`,
    `${effectWords[fact.effect]} ${cacheWords(facts['x-cache'])} ${price} credits. Defined by ${facts['x-source']}.`,
  ]
  const shown = rows.length === 0 ? 'No params.\n' : `${table(['param', '', 'value'], rows)}\n`
  return `### ${name}\n\n${summary}\n\n${shown}\n${lines.join('\n')}\n`
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Generated } from '../page.ts'
import { errorClasses } from './remedies.ts'
import { table } from './table.ts'

/** Reads what each code means from the comment above the class: lines that begin with the code. */
function causesOf(packageName: string): ReadonlyMap<string, string> {
  const file = join(import.meta.dirname, '../../../../packages', packageName, 'src/error.ts')
  const lines = readFileSync(file, 'utf8').matchAll(/^ \* - `(\w+)`: ([^]*?)(?=\n \* -|\n \*\/|\n \*\n)/gm)
  return new Map(
    [...lines].map(([, code, text]) => [code!, plain(text!.replaceAll(/\n \* +/g, ' ').replace(/\.$/, ''))] as const),
  )
}

/** Takes the links of TSDoc out of a sentence, and begins it in upper case. */
function plain(text: string): string {
  const words = text.replaceAll(/\{@link (\w+)\}/g, '`$1`')
  return `${words[0]!.toUpperCase()}${words.slice(1)}`
}

/** Makes the page of the codes of the packages' errors: the causes from their sources, a remedy for each. */
export async function errorCodes(): Promise<Generated> {
  const parts = errorClasses.map(({ name, packageName, remedies }) => {
    const causes = causesOf(packageName)
    const rows = Object.entries(remedies).map(([code, remedy]) => {
      const cause = causes.get(code)
      if (cause === undefined) throw new Error(`${name}: expected a line about "${code}" in its comment, found none`)
      return [`\`${code}\``, cause, remedy]
    })
    return `## ${name}\n\nOf [\`@wayleave/${packageName}\`](../packages/${packageName}.md).\n\n${table(['code', 'cause', 'remedy'], rows)}\n`
  })
  return {
    source: 'tooling/site/src/generate/remedies.ts',
    markdown: `# Errors in code

What the packages throw, for whoever catches it. Each package has one error class with a literal \`code\`; its \`message\` says what was expected, what came and what to do, and holds no key, secret or URL.
What a gateway answers to its callers is [elsewhere](./errors.md).

| class | thrown by | when |
| --- | --- | --- |
| \`SchemaError\` | [\`client\`](../packages/client-in-detail.md#errors), [\`jsonrpc-core\`](../packages/jsonrpc-core.md) | params are wrong and were not sent: the message has the path and what was expected; correct the call |
| \`RevertError\` | [\`client\`](../packages/client-in-detail.md#errors) | a call reverted: an \`RpcError\` whose \`revert\` has the decoded reason; the contract refuses, so change the call |
| \`ConfigError\` | [\`gateway\`](../packages/gateway.md#api) | a configuration cannot be served: \`problems\` has each mistake with its place; \`wayleave config check\` prints them with lines |
| \`ListenError\` | [\`gateway\`](../packages/gateway.md#api) | an address cannot be listened on: another program has the port, or it needs rights; \`wayleave doctor\` names the program |

The exit codes of the command are in [its README](../packages/cli.md#exit-codes).

${parts.join('\n')}`,
  }
}

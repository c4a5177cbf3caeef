import { ipfsCommands as names } from '@wayleave/ipfs-http/server'
// @boundaries-ignore The options of a command are no API; the server checks requests by them.
import { commandAt } from '../../../../packages/ipfs-http/src/server/commands.ts'
import type { Generated } from '../page.ts'
import { table } from './table.ts'

/** Makes the reference of the IPFS API from the table of its commands. */
export async function ipfsCommands(): Promise<Generated> {
  const parts = names.map((name) => {
    const { argument, fewest = 1, options = {}, short = {}, stores } = commandAt(`/api/v0/${name}`)!
    const rows = Object.entries(options).map(([option, type]) => {
      const letters = Object.entries(short).flatMap(([letter, long]) => (long === option ? [`\`${letter}\``] : []))
      return [`\`${option}\``, letters.join(', '), String(type)]
    })
    const call = `\`POST /api/v0/${name}${argument === undefined ? '' : '?arg=…'}\``
    const asked = argument === undefined ? '' : `, \`arg\`: ${argument}${fewest === 0 ? ', which may be left out' : ''}`
    const shown = rows.length === 0 ? 'No options of its own.' : table(['option', 'short', 'type'], rows)
    return `## ${name}\n\n${call}${asked}.${stores === true ? ' Stores blocks or pins.' : ''}\n\n${shown}\n`
  })
  return {
    source: 'packages/ipfs-http/src/server/commands.ts',
    markdown: `# IPFS commands

The ${names.length} commands of the IPFS API that a gateway serves, with the options that it takes, under Kubo's names. An option comes in the query, by its long or its short name.
[What differs from Kubo 0.43](./ipfs-and-kubo.md), and the [package](../packages/ipfs-http.md) that holds the server and a verifying client.

${parts.join('\n')}`,
  }
}

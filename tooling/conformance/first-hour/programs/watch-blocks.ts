// Prints each new block of the chain until it is stopped, also over dropped connections.
import { createClient } from '@wayleave/client'
import { fetchMissed } from '@wayleave/client/events'

const gateway = { url: 'http://127.0.0.1:8545', apiKey: '0123456789abcdef0123456789abcdef' }
const client = createClient({ ...gateway, resubscribe: fetchMissed })
const onGap = ({ reason }: { reason: string }): void => console.warn('blocks may be missing:', reason)

for await (const { number, hash, gasUsed } of await client.events(['newHeads'], { onGap })) {
  console.log(`block ${Number(number)} ${hash} used ${Number(gasUsed)} gas`)
}

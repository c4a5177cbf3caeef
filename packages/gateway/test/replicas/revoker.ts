import { openStores, type StoresOptions } from '@wayleave/stores'

// Disables a key, says so, and waits to be killed.
const [place, id] = process.argv.slice(2) as [string, string]
const stores = await openStores(JSON.parse(place) as StoresOptions)
await stores.accounts.updateKey(id, { disabled: true }, { actor: 'ops', at: Date.now() })
process.stdout.write('confirmed\n')
setInterval(() => {}, 1_000)

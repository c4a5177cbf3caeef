import { openStores } from '@wayleave/stores'

// Disables a key, adds usage, says so, and waits to be killed.
const [sqlite, i] = process.argv.slice(2) as [string, string]
const stores = await openStores({ sqlite })
await stores.accounts.updateKey(`k${i}`, { disabled: true }, { actor: 'ops', at: 2 })
const place = { minute: 1, project: 'p', key: 'k', network: 'n', method: 'm', status: 'ok' }
await stores.usage.add(`process-${i}`, 1, [{ ...place, calls: 1, credits: 1 }])
process.stdout.write('confirmed\n')
setInterval(() => {}, 1_000)

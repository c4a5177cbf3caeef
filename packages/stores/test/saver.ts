import { openStores, type StoresOptions } from '@wayleave/stores'
import { recordOf } from './records.ts'

// Saves a record under the name given, in a process of its own.
const [options, network] = process.argv.slice(2) as [string, string]
await using stores = await openStores(JSON.parse(options) as StoresOptions)
await stores.fees.save(network, recordOf(1, 500))

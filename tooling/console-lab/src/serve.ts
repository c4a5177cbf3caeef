// `pnpm --filter @wayleave/console-lab serve`: the console before the stand-in, to be looked at by hand. Options: --keys N, --rate N, --hostile.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startStandIn, tokenOf } from './stand-in.ts'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '0' },
    rate: { type: 'string', default: '40' },
    hostile: { type: 'boolean', default: false },
  },
})
const gateway = await startStandIn({
  keys: Number(values.keys),
  callsPerSecond: Number(values.rate),
  isHostile: values.hostile,
})
console.log(`${gateway.url}/console/\nadmin token: ${tokenOf('all')}\nCtrl-C ends it.`)
await once(process, 'SIGINT')
await gateway[Symbol.asyncDispose]()

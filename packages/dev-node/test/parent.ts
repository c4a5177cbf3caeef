// Holds a dev node in a process of its own: parent.ts <data folder> <how it dies when its input ends>
import { startDevNode } from '../src/index.ts'

const [dataDir, death] = process.argv.slice(2)
const { networks } = await startDevNode({ dataDir })
const pids = [networks.dev.pid, networks['rollup-dev'].pid]
process.stdout.write(`${JSON.stringify({ pids, url: networks.dev.httpUrl })}\n`)
process.stdin.resume().on('end', () => {
  if (death === 'exits') process.exit(3)
  if (death === 'throws') throw new Error('nobody catches this')
})

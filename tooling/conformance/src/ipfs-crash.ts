import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashRounds } from './ipfs-crash/crash-rounds.ts'

/*
 * Kills a process that adds files, again and again, and reads back everything that it had acknowledged. Arguments: how
 * many kills (200), and a seed for when they come (1). Ends with 1 where something is lost.
 */

const [kills = 200, seed = 1] = process.argv.slice(2).map(Number)
const dir = await mkdtemp(join(tmpdir(), 'wayleave-crash-'))
try {
  const { acknowledged, lost, leftovers } = await crashRounds({ dir, kills, seed, tell: (line) => console.error(line) })
  console.log(
    `${kills} kills, seed ${seed}: ${acknowledged} roots acknowledged, ${lost.length} lost, ${leftovers} left half written`,
  )
  for (const root of lost) console.log(`lost: ${root}`)
  process.exitCode = lost.length + leftovers === 0 && acknowledged > 0 ? 0 : 1
} finally {
  await rm(dir, { recursive: true, force: true })
}

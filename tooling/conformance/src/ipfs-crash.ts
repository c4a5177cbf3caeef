import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crashRounds } from './ipfs-crash/crash-rounds.ts'
import { gatewayCrashRounds } from './ipfs-crash/gateway-rounds.ts'

/*
 * Repeatedly kills a process that adds files, and reads back everything that it had acknowledged: first the local backend
 * alone, then a gateway that adds, pins, unpins and collects. Arguments: the number of kills of each (200), and a seed for
 * their moments (1). Exits with 1 if something is lost.
 */

const [kills = 200, seed = 1] = process.argv.slice(2).map(Number)
const dir = await mkdtemp(join(tmpdir(), 'wayleave-crash-'))
const report = (line: string): void => console.error(line)
try {
  const alone = await crashRounds({ dir: join(dir, 'alone'), kills, seed, report })
  console.log(
    `backend: ${kills} kills, seed ${seed}: ${alone.acknowledged} roots acknowledged, ${alone.lost.length} lost, ${alone.leftovers} left half written`,
  )
  const whole = await gatewayCrashRounds({ dir: join(dir, 'gateway'), kills, seed, report })
  console.log(
    `gateway: ${kills} kills, seed ${seed}: ${whole.added} adds, ${whole.pinned} pins and ${whole.unpinned} unpins acknowledged, ` +
      `${whole.reads} verified reads, ${whole.lost.length} lost, ${whole.returned.length} unpinned that returned, ` +
      `${whole.leftovers} left half written`,
  )
  for (const root of [...alone.lost, ...whole.lost]) console.log(`lost: ${root}`)
  const bad = alone.lost.length + alone.leftovers + whole.lost.length + whole.returned.length + whole.leftovers
  process.exitCode = bad === 0 && alone.acknowledged > 0 && whole.added > 0 ? 0 : 1
} finally {
  await rm(dir, { recursive: true, force: true })
}

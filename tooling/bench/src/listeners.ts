// Compares ways to share an address among worker processes: `node tooling/bench/src/listeners.ts [WORKERS]`. Connections to each worker are
// counted where many are opened and kept; the rate is that of calls that each open a connection, one after the other on 16 lines.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { spawn } from 'node:child_process'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { median } from './statistics.ts'
import { printTable } from './table.ts'

const workers = Number(process.argv[2] ?? 2)
const ways = ['round robin', 'shared handle', 'reusePort'] as const
const rounds = 9
const kept = [10, 100, 1_000]
const fresh = 3_000

function ask(port: number, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve(body))
    }).on('error', reject)
  })
}

/** Opens so many connections, and finds the part of them that the busiest worker has. */
async function busiestPart(port: number, connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const answers = await Promise.all(Array.from({ length: connections }, () => ask(port, agent)))
  agent.destroy()
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return Math.max(...counts.values()) / connections
}

/** Calls a second, each on a connection of its own. */
async function freshRate(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: false })
  let left = fresh
  const began = systemClock.now()
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (left-- > 0) await ask(port, agent)
    }),
  )
  return (fresh / (systemClock.now() - began)) * 1_000
}

async function open(way: string) {
  const file = fileURLToPath(new URL('listeners-process.ts', import.meta.url))
  const child = spawn(process.execPath, [file, way, String(workers)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    port: Number(line),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

const parts = new Map<string, number[][]>(ways.map((way) => [way, kept.map(() => [])]))
const rates = new Map<string, number[]>(ways.map((way) => [way, []]))
for (let round = 0; round < rounds; round++) {
  for (const way of ways) {
    await using opened = await open(way)
    for (const [i, connections] of kept.entries()) {
      parts.get(way)![i]!.push(await busiestPart(opened.port, connections))
    }
    rates.get(way)!.push(await freshRate(opened.port))
  }
}

const percent = (part: number): string => `${Math.round(part * 100)} %`
for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log(
  `\n${workers} workers, ${rounds} rounds; the part of the connections at the busiest worker: median (worst)\n`,
)
console.log(
  printTable(
    ['way', ...kept.map((count) => `${count} kept`), 'calls/s, each on a new one'],
    ways.map((way) => [
      way,
      ...parts.get(way)!.map((found) => `${percent(median(found))} (${percent(Math.max(...found))})`),
      Math.round(median(rates.get(way)!)).toString(),
    ]),
  ),
)

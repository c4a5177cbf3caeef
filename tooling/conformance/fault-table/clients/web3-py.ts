import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Kind, Target } from '../questions.ts'
import type { Answer, TableClient } from './table-client.ts'

const program = fileURLToPath(new URL('web3_table.py', import.meta.url))

/** Whether a Python has web3.py. */
export function hasWeb3(python: string): boolean {
  return spawnSync(python, ['-c', 'import web3']).status === 0
}

/** web3.py with its defaults, in a process of its own: it repeats reads that failed. */
export function web3PyClient(python: string): TableClient {
  const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, PromiseWithResolvers<readonly Answer[]>>()
  const exited = once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error('the process of web3.py ended'))
  })
  let id = 0
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as { readonly id: number; readonly answers: readonly Answer[] }
    waiting.get(line.id)?.resolve(line.answers)
    waiting.delete(line.id)
  })
  return {
    name: 'web3.py',
    kinds: ['read', 'batch', 'write', 'socket'],
    sends: 5,
    ask(kind: Kind, target: Target) {
      const asked = Promise.withResolvers<readonly Answer[]>()
      waiting.set(++id, asked)
      child.stdin.write(`${JSON.stringify({ id, kind, target })}\n`)
      return asked.promise
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

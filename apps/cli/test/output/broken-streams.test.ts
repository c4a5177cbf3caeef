import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { tolerateBrokenStreams } from '../../src/output/broken-streams.ts'

it.each([
  ['stderr', 'EPIPE', []],
  ['stderr', 'ENOSPC', []],
  ['stdout', 'EPIPE', []],
  ['stdout', 'ENOSPC', ['wayleave: the output could not be written (ENOSPC)\n', 1]],
] as const)('%s that breaks with %s does %j', (name, code, expected) => {
  const done: unknown[] = []
  const write = (text: string): void => void done.push(text)
  const streams = { stdout: new EventEmitter(), stderr: Object.assign(new EventEmitter(), { write }) }
  tolerateBrokenStreams({ ...streams, exit: (status: number) => void done.push(status) } as never)
  streams[name].emit('error', Object.assign(new Error(code), { code }))
  expect(done).toEqual(expected)
})

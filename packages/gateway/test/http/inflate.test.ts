import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createInflater, decoderOf, type InflateJob } from '@wayleave/http-server/internal/listen/inflate'
import { until } from '../support.ts'

const decode = decoderOf('gzip')!
const body = gzipSync('x'.repeat(3_000_000))

function job(project: string, done: InflateJob['done'], hold: InflateJob['hold'] = () => true): InflateJob {
  return { project, decode, body, cap: 5_000_000, hold, done }
}

test('projects take turns, so that one body does not wait for all of another project', async () => {
  const inflater = createInflater(1)
  const order: string[] = []
  for (let i = 0; i < 5; i++) inflater.inflate(job('greedy', () => order.push('greedy')))
  inflater.inflate(job('modest', () => order.push('modest')))
  await until(() => order.length === 6)
  expect(order.indexOf('modest')).toBeLessThan(3)
})

test('a body that was given up is inflated no further, and the next one begins', async () => {
  const inflater = createInflater(1)
  let held = 0
  const done: string[] = []
  const giveUp = inflater.inflate(
    job(
      'a',
      () => done.push('first'),
      (bytes) => {
        held += bytes
        return true
      },
    ),
  )
  const forgotten = inflater.inflate(job('a', () => done.push('waiting')))
  inflater.inflate(job('a', (plain) => done.push(`last ${typeof plain === 'string' ? plain : plain.byteLength}`)))
  forgotten()
  giveUp()
  giveUp()
  await until(() => done.length > 0)
  expect(done).toEqual(['last 3000000'])
  expect(held).toBeLessThan(3_000_000)
})

test('a body that may not be held is refused as soon as that is known', async () => {
  const inflater = createInflater(1)
  let held = 0
  const results: unknown[] = []
  const hold = (bytes: number): boolean => (held += bytes) < 1_000_000
  inflater.inflate(job('a', (plain) => results.push(plain), hold))
  await until(() => results.length === 1)
  expect(results).toEqual(['not_held'])
  expect(held).toBeLessThan(1_200_000)
})

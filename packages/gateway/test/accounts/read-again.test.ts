import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createReadAgain } from '../../src/accounts/read-again.ts'

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

function begin() {
  const clock = new FakeClock()
  const reads: PromiseWithResolvers<void>[] = []
  const readAgain = createReadAgain(() => {
    const read = Promise.withResolvers<void>()
    reads.push(read)
    return read.promise
  }, clock)
  let reported = 0
  const ask = (): void => void readAgain().then(() => reported++)
  return { clock, reads, ask, reported: () => reported }
}

it('shares a read among all who ask before it begins, and none that has begun', async () => {
  const { clock, reads, ask, reported } = begin()
  for (let i = 0; i < 1_000; i++) ask()
  await settled()
  expect(reads.length).toBe(1)
  for (let i = 0; i < 1_000; i++) ask()
  await settled()
  expect(reads.length).toBe(1)
  reads[0]!.resolve()
  await settled()
  expect(reported()).toBe(1_000)
  expect(reads.length).toBe(1)
  clock.advance(25)
  await settled()
  expect(reads.length).toBe(2)
  reads[1]!.resolve()
  await settled()
  expect(reported()).toBe(2_000)
})

it('reads at most once in 25 ms', async () => {
  const { clock, reads, ask, reported } = begin()
  for (let ms = 0; ms < 1_000; ms++) {
    ask()
    await settled()
    reads.at(-1)?.resolve()
    clock.advance(1)
    await settled()
  }
  expect(reads.length).toBe(1 + 1_000 / 25)
  expect(reported()).toBeGreaterThan(970)
})

it('is waited for 250 ms at most while the store is silent, and reads on once it answers', async () => {
  const { clock, reads, ask, reported } = begin()
  ask()
  await settled()
  ask()
  clock.advance(249)
  await settled()
  expect(reported()).toBe(0)
  clock.advance(1)
  await settled()
  expect(reported()).toBe(2)
  for (let i = 0; i < 100; i++) ask()
  clock.advance(250)
  await settled()
  expect(reported()).toBe(102)
  expect(reads.length).toBe(1)
  reads[0]!.resolve()
  await settled()
  expect(reads.length).toBe(2)
  reads[1]!.resolve()
  await settled()
  ask()
  clock.advance(25)
  await settled()
  reads[2]!.resolve()
  await settled()
  expect(reported()).toBe(103)
})

it('lets each wait for 250 ms of his own', async () => {
  const { clock, reads, ask, reported } = begin()
  ask()
  await settled()
  clock.advance(10)
  ask()
  clock.advance(189)
  ask()
  clock.advance(1)
  reads[0]!.resolve()
  await settled()
  expect(reported()).toBe(1)
  expect(reads.length).toBe(2)
  // The second has waited for 250 ms, the third for 61.
  clock.advance(60)
  await settled()
  expect(reported()).toBe(2)
  reads[1]!.resolve()
  await settled()
  expect(reported()).toBe(3)
})

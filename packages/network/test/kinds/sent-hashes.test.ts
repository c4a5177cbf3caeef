import type { Hash } from '@wayleave/evm-types'
import { expect, it } from 'vitest'
import { createSentHashes } from '../../src/kinds/sent-hashes.ts'

const hashOf = (nth: number): Hash => `0x${String(nth).padStart(64, '0')}`

it('a transaction may be done while another call sends it, until that one is refused', () => {
  const hashes = createSentHashes()
  const [first, second] = [hashes.call(hashOf(1), 'a'), hashes.call(hashOf(1), 'b')]
  expect([first.mayBeDone(), second.mayBeDone()]).toEqual([false, false])
  first.begin()
  first.begin()
  expect([first.mayBeDone(), second.mayBeDone()]).toEqual([false, true])
  second.begin()
  expect([first.mayBeDone(), second.mayBeDone()]).toEqual([true, true])
  first.end(true)
  expect(second.mayBeDone()).toBe(false)
  second.end(true)
  expect(hashes.call(hashOf(1), 'a').mayBeDone()).toBe(false)
})

it('a transaction that one call did not see refused may be done ever after', () => {
  const hashes = createSentHashes()
  for (const isRefused of [false, true]) {
    const call = hashes.call(hashOf(1), 'a')
    call.begin()
    call.end(isRefused)
    expect(hashes.call(hashOf(1), 'b').mayBeDone()).toBe(true)
  }
  const unsent = hashes.call(hashOf(2), 'a')
  unsent.end(false)
  expect(hashes.call(hashOf(2), 'a').mayBeDone()).toBe(false)
})

it('a tenant that sends many forgets its own, not those of others', () => {
  const hashes = createSentHashes(10)
  const send = (nth: number, tenant: string | undefined): void => {
    const call = hashes.call(hashOf(nth), tenant)
    call.begin()
    call.end(false)
  }
  send(0, 'quiet')
  for (let nth = 1; nth <= 50; nth++) send(nth, 'busy')
  send(51, undefined)
  // It counts for the tenant that sent it last.
  send(50, 'quiet')
  const known = Array.from({ length: 52 }, (_, nth) => nth).filter((nth) => hashes.call(hashOf(nth), 'x').mayBeDone())
  expect(known).toEqual([0, 43, 44, 45, 46, 47, 48, 49, 50, 51])
})

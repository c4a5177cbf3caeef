import { describe, expect, expectTypeOf, it } from 'vitest'
import { gas, type GasMethods } from '../src/gas/index.ts'
import { type Client, createClient } from '../src/index.ts'
import { ipfs } from '../src/ipfs/index.ts'
import { starknet, type StarknetClient } from '../src/starknet/index.ts'
import { servePeer } from './helpers.ts'

const url = 'http://127.0.0.1:9'

describe('apis of a client', () => {
  it('add the members that they are named, and no other', () => {
    const plain = createClient({ url })
    const client = createClient({ url, apis: { fees: gas(), ipfs: ipfs(), starknet: starknet() } })
    expect(Object.keys(client)).toEqual([...Object.keys(plain), 'fees', 'ipfs', 'starknet'])
    expectTypeOf(plain).toExtend<Client>()
    expectTypeOf(plain).not.toHaveProperty('gas')
    expectTypeOf(client.fees).toEqualTypeOf<GasMethods>()
    expectTypeOf(client.starknet).toEqualTypeOf<StarknetClient<'0.5.1'>>()
  })

  it('make the reads of Starknet reads, which else are writes and never repeated or merged', async () => {
    const { url: peer, seen } = await servePeer('0x1')
    const ask = async (client: Pick<Client, 'requestUnchecked'>): Promise<number> => {
      await Promise.all([client.requestUnchecked('starknet_chainId'), client.requestUnchecked('starknet_chainId')])
      return seen.splice(0).length
    }
    expect(await ask(createClient({ url: peer }))).toBe(2)
    expect(await ask(createClient({ url: peer, apis: { starknet: starknet() } }))).toBe(1)
  })

  it('hold no check of answers: verify takes a middleware, and refuses the name of a level', () => {
    expect(() => createClient({ url, verify: 'proven' as never })).toThrow(
      "verify: expected a middleware, such as verify('proven') of @wayleave/client/verify",
    )
  })
})

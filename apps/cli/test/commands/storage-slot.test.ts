import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { follow } from '../../src/storage-place.ts'
import { call, type Dev, type Run, runWayleave, startDev } from '../helpers.ts'

const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const contract = '0x00000000000000000000000000000000c0ffee01'
const slot = (...args: string[]): Promise<Run> => runWayleave(['storage-slot', ...args])
const word = (value: bigint | number): string => `0x${value.toString(16).padStart(64, '0')}`

describe('wayleave storage-slot', () => {
  // An array at slot 0 begins at keccak256 of 32 zero bytes.
  it.each([
    [['3'], word(3)],
    [['0x0a', 'member=2'], word(12)],
    [['0', 'index=0'], '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563'],
    [['0', 'index=2'], '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e565'],
    [['0', 'index=1:3'], '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e566'],
    [
      ['1', 'key=0x391694e7e0b0cce554cb130d723a9d27458f9298'],
      // Source: the example of eth_getStorageAt in the JSON-RPC documentation of ethereum.org.
      '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9',
    ],
    [
      ['erc7201:example.main'],
      // Source: the example of ERC-7201.
      '0x183a6125c38840424c4a85fa12bab2ab606c4b6d0e7cc73c0c06ba5300eab500',
    ],
    [
      ['erc1967:implementation'],
      // Source: ERC-1967.
      '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
    ],
  ])('finds %j', async (args, expected) => {
    expect(await slot(...args)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: '' })
  })

  it('takes a key by its form, by the type that it names, and by --key-type', () => {
    const at = (step: string, keyType?: string): unknown => follow(3, step, keyType, undefined).slot
    const byForm = at('key=5')
    expect(at('key=6')).not.toBe(byForm)
    expect(at('key:uint256=5')).toBe(byForm)
    expect(at('key=0x05', 'uint8')).toBe(byForm)
    expect(at('key:address=0x0000000000000000000000000000000000000005')).toBe(byForm)
    expect(at('key:string=5')).not.toBe(byForm)
    expect(at('key=-1')).toBe(at(`key=0x${'f'.repeat(64)}`))
    expect(at('key=true')).toBe(at('key=1'))
    expect(at('key=hello')).toBe(at('key:bytes=0x68656c6c6f'))
    expect(at('key:bytes2=0x0102')).toBe(at(`key=0x0102${'0'.repeat(60)}`))
  })

  it('goes into nested mappings, the outer key first', async () => {
    const outer = follow(3, `key=${rich}`, undefined, undefined).slot
    const { slot: inner } = follow(outer, 'key=7', undefined, undefined)
    expect((await slot('3', `key=${rich}`, 'key=7')).stdout).toBe(`${inner}\n`)
  })

  it('finds the place of an element that shares its slot', async () => {
    const { stdout } = await slot('0', 'index=6', '--type', 'uint64', '--json')
    expect(JSON.parse(stdout)).toEqual({
      slot: '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e564',
      offset: 16,
    })
  })

  it.each([
    [[], 'expected a SLOT, such as 3'],
    [['x'], 'SLOT: expected a number, erc7201:NAMESPACE'],
    [['3', 'kye=1'], 'STEP: expected key=VALUE, key:TYPE=VALUE'],
    [['3', 'index=x'], 'STEP: expected'],
    [['3', 'key=0x05'], 'key: "0x05" may be several types: write key:uint256='],
    [['3', 'key:uint8=x'], 'key: expected a number of uint8, got "x"'],
    [['3', 'key:uint8=256'], 'key: expected a number of uint8, got "256"'],
    [['3', 'key:uint256=-1'], 'key: expected a number of uint256, got "-1"'],
    [['3', 'key:int8=-129'], 'key: expected a number of int8, got "-129"'],
    [['3', 'key:int7=1'], '--key-type: expected uintN, intN'],
    [['9'.repeat(78)], 'slot: expected an integer from 0 to 2^256 - 1'],
    [['3', `index=${'9'.repeat(78)}`], 'index: expected an integer from 0 to 2^256 - 1'],
    [['3', `key=${'9'.repeat(78)}`], 'key: expected a number of uint256'],
    [['3', 'key:float=1'], '--key-type: expected address, bool'],
    [['3', '--type', 'uint7'], '--type: expected uintN'],
    [['3', '--offset', '32'], '--offset: expected 0 to 31, got "32"'],
    [['3', '--address', '0x12'], '--address: expected a 20-byte address'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await slot(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`wayleave storage-slot: ${words}`)
  })
})

describe('wayleave storage-slot --address', () => {
  let dev: Dev

  beforeAll(async () => {
    dev = await startDev()
    const longText = Buffer.from('a text of more than thirty-one bytes').toString('hex')
    const first = '0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563'
    const words: Record<string, string> = {
      [word(0)]: word(36 * 2 + 1),
      [first]: `0x${longText.slice(0, 64)}`,
      [word(BigInt(first) + 1n)]: `0x${longText.slice(64).padEnd(64, '0')}`,
      [word(1)]: `0x${Buffer.from('short').toString('hex').padEnd(62, '0')}0a`,
      // An address, a bool above it, and int16 -2 above that.
      [word(2)]: `0x${'fffe01'.padStart(24, '0')}${rich.slice(2)}`,
    }
    for (const [position, value] of Object.entries(words))
      await call(dev.url(), 'anvil_setStorageAt', contract, position, value)
  })

  afterAll(() => dev.stop())

  const read = (...args: string[]): Promise<Run> =>
    runWayleave(['storage-slot', ...args, '--address', contract], { WAYLEAVE_RPC_URL: dev.url() })

  it.each([
    [['1'], `0x${Buffer.from('short').toString('hex').padEnd(62, '0')}0a`],
    [['1', '--type', 'string'], 'short'],
    [['1', '--type', 'bytes'], '0x73686f7274'],
    [['0', '--type', 'string'], 'a text of more than thirty-one bytes'],
    [['0', '--type', 'uint256'], '73'],
    [['2', '--type', 'address'], rich.toLowerCase()],
    [['2', '--type', 'bool', '--offset', '20'], 'true'],
    [['2', '--type', 'int16', '--offset', '21'], '-2'],
    [['2', '--type', 'uint16', '--offset', '21'], '65534'],
    [['2', '--type', 'bytes2', '--offset', '21'], '0xfffe'],
    [['3', 'key=1', '--type', 'uint256', '--block', '0'], '0'],
  ])('reads %j', async (args, value) => {
    expect(await read(...args)).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' })
  })

  it('prints slot, offset, type and value as JSON', async () => {
    const { stdout } = await read('2', '--type', 'int16', '--offset', '21', '--json')
    expect(JSON.parse(stdout)).toEqual({ slot: word(2), offset: 21, type: 'int16', value: '-2' })
  })

  it('refuses what cannot stand there with exit code 2', async () => {
    for (const [args, words] of [
      [['2', '--type', 'address', '--offset', '20'], '--offset: address takes 20 of a slot'],
      [['2', '--type', 'bool'], 'expected a boolean, 0 or 1'],
    ] as const) {
      const { code, stdout, stderr } = await read(...args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(words)
    }
  })
})

import { addressSchema, type Hex, type Slot } from '@wayleave/evm-types'
import { callFlags, callFlagsHelp } from '../call/call-flags.ts'
import { openClient } from '../call/open-client.ts'
import { readBlock } from '../call/param-flags.ts'
import { runWith } from '../call/run-with.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { printLine } from '../output/visible.ts'
import { follow, readSlot } from '../storage-place.ts'
import { type Place, readValueAt, sizeOf } from '../storage-type.ts'
import { type ValuesOf, readArgs, textFlags } from '../read-args.ts'

const options = {
  ...callFlags,
  ...textFlags('address', 'type', 'offset', 'key-type'),
  block: { type: 'string', default: 'latest' },
} as const

type Flags = ValuesOf<typeof options>

/** `wayleave storage-slot`: finds the slot of a Solidity variable, and reads its value. */
export const storageSlot: Command = {
  help: `Usage: wayleave storage-slot SLOT [STEP...] [options]

SLOT is where the variable is declared: a number, erc7201:NAMESPACE, or erc1967:implementation, :beacon, :admin.
Each STEP goes further in:

  key=VALUE         the element of a mapping; its type is told by its form: an address, a number, bytes32, true, a text
  key:TYPE=VALUE    the same for a key of TYPE: key:uint256=0x10, key:bytes=0x10, key:string=5
  index=N           element N of a dynamic array; index=N:SLOTS where an element takes that many slots
  member=N          N slots further: a struct's member, or the element of a fixed array

  --address A       reads the value there, from the node below
  --type T          and decodes it: uintN, intN, bytesN, bool, address, string, bytes; small ones are packed in arrays
  --offset N        bytes from the slot's low end, as the compiler's storage layout says; default 0
  --key-type T      the TYPE of keys that name none
  --block B         default latest
${callFlagsHelp}

Examples:
  wayleave storage-slot 3                                      a plain variable
  wayleave storage-slot 3 key=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
  wayleave storage-slot 4 key=0xf39F… key=0x7099…              a nested mapping, the outer key first
  wayleave storage-slot 5 index=2 --type uint64                a packed array
  wayleave storage-slot 6 --address 0x5FbD… --type string      read and decoded
  wayleave storage-slot erc7201:openzeppelin.storage.ERC20 member=2

Exit code 0: done; 1: an error or no answer; 2: used wrongly.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, options)
    const place = placeOf(positionals, values)
    const { address } = values
    if (address === undefined) {
      io.stdout(printPlace(place, values.json))
      return 0
    }
    if (addressSchema.check(address, '') !== undefined)
      throw new UsageError(`--address: expected ${addressSchema.expected}, got "${address}"`)
    return readAndPrint(place, address as Hex, values, io)
  },
}

function placeOf([text, ...steps]: readonly string[], { type, offset, 'key-type': keyType }: Flags): Place {
  if (text === undefined) throw new UsageError('expected a SLOT, such as 3')
  if (type !== undefined) sizeOf(type)
  let place: Place = { slot: readSlot(text), offset: 0 }
  for (const [i, step] of steps.entries())
    place = follow(place.slot, step, keyType, i === steps.length - 1 ? type : undefined)
  if (offset === undefined) return place
  if (!/^(?:[12]?\d|3[01])$/.test(offset)) throw new UsageError(`--offset: expected 0 to 31, got "${offset}"`)
  return { slot: place.slot, offset: Number(offset) }
}

function printPlace({ slot, offset }: Place, json: boolean): string {
  const printed = wordOf(slot)
  if (json) return `${JSON.stringify({ slot: printed, offset })}\n`
  return offset === 0 ? `${printed}\n` : `${printed}\noffset ${offset}\n`
}

async function readAndPrint(place: Place, address: Hex, flags: Flags, io: CommandIo): Promise<number> {
  const client = openClient(flags, io.env)
  const block = readBlock(flags.block) as Hex
  const read = (slot: Slot): Promise<Hex> => client.eth.getStorageAt([address, wordOf(slot), block])
  return runWith(client, 'eth_getStorageAt', flags, io, async () => {
    const { type = 'bytes32' } = flags
    const value = await readValueAt(place, type, read)
    if (flags.json) {
      const { slot, offset } = place
      io.stdout(`${JSON.stringify({ slot: wordOf(slot), offset, type, value })}\n`)
    } else io.stdout(printLine(value, io.process.stdout))
    return 0
  })
}

function wordOf(slot: Slot): Hex {
  return `0x${BigInt(slot).toString(16).padStart(64, '0')}`
}

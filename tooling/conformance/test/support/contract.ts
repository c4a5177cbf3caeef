/** A contract small enough to be written by hand, one instruction or a few a line. */
const dispatch = [
  '5f35 60e0 1c', //            PUSH0 CALLDATALOAD PUSH1 224 SHR: the selector
  '80 633fa4f245 14 6025 57', // DUP1 PUSH4 value() EQ PUSH1 0x25 JUMPI
  '80 636057361d 14 602e 57', // DUP1 PUSH4 store(uint256) EQ PUSH1 0x2e JUMPI
  '63a9cc4718 14 605e 57', //   PUSH4 fail() EQ PUSH1 0x5e JUMPI
  '5f5f fd', //                 PUSH0 PUSH0 REVERT: no such function
]

/** `value()`, at 0x25: returns slot 0. */
const value = [
  '5b 5f54', //      JUMPDEST PUSH0 SLOAD
  '5f52', //         PUSH0 MSTORE
  '6020 5f f3', //   PUSH1 32 PUSH0 RETURN
]

/** `store(uint256)`, at 0x2e: writes slot 0 and logs `Stored(address indexed by, uint256 value)`. */
const store = [
  '5b 600435', //    JUMPDEST PUSH1 4 CALLDATALOAD
  '80 5f55', //      DUP1 PUSH0 SSTORE
  '5f52', //         PUSH0 MSTORE
  '33', //           CALLER: the second topic
  '7f ebfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a', // PUSH32: the first topic
  '6020 5f a2 00', // PUSH1 32 PUSH0 LOG2 STOP
]

/** `fail()`, at 0x5e: reverts with `Error("nothing to give")`. */
const fail = [
  '5b 6308c379a0 60e01b 5f52', // JUMPDEST PUSH4 Error(string) PUSH1 224 SHL PUSH0 MSTORE
  '6020 6004 52', //              offset of the text
  '600f 6024 52', //              its length
  '7f 6e6f7468696e6720746f20676976650000000000000000000000000000000000 6044 52', // the text
  '6064 5f fd', //                PUSH1 100 PUSH0 REVERT
]

function assemble(...lines: readonly string[]): string {
  return lines.join('').replaceAll(' ', '')
}

const runtime = assemble(...dispatch, ...value, ...store, ...fail)

/** What `eth_getCode` answers once the contract is deployed. */
export const runtimeCode: `0x${string}` = `0x${runtime}`

/** PUSH1 length DUP1 PUSH1 9 PUSH0 CODECOPY PUSH0 RETURN, and the code that they return. */
export const initCode: `0x${string}` = `0x${assemble(`60${(runtime.length / 2).toString(16)} 80 6009 5f39 5ff3`)}${runtime}`

export const revertReason = 'nothing to give'

export const abi = [
  { type: 'function', name: 'value', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256', name: '' }] },
  {
    type: 'function',
    name: 'store',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'uint256', name: 'value' }],
    outputs: [],
  },
  { type: 'function', name: 'fail', stateMutability: 'nonpayable', inputs: [], outputs: [] },
  {
    type: 'event',
    name: 'Stored',
    inputs: [
      { type: 'address', name: 'by', indexed: true },
      { type: 'uint256', name: 'value', indexed: false },
    ],
  },
] as const

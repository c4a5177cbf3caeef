/** A method under the name that a person types every day. It is listed here without the method table, which loads slowly. */
export interface ShortName {
  /** Its arguments, such as `ADDRESS [BLOCK]`. */
  readonly usage: string
  readonly summary: string
  readonly example: string
  /** Chooses the method in JSON-RPC by the arguments. */
  readonly methodOf: (args: readonly string[]) => string
}

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const hash = `0x${'12'.repeat(32)}`

/** The short names of `wayleave eth`, which are commands of their own, too. */
export const shortNames: Readonly<Record<string, ShortName>> = {
  block: {
    usage: '[BLOCK]',
    summary: 'a block by number, tag or hash; the latest if none is named; --full for whole transactions',
    example: 'latest',
    methodOf: ([block = '']) => (/^0x[0-9a-f]{64}$/i.test(block) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'),
  },
  tx: {
    usage: 'HASH',
    summary: 'a transaction by its hash',
    example: hash,
    methodOf: () => 'eth_getTransactionByHash',
  },
  receipt: {
    usage: 'HASH',
    summary: 'the receipt of a transaction, null until it is mined',
    example: hash,
    methodOf: () => 'eth_getTransactionReceipt',
  },
  balance: {
    usage: 'ADDRESS [BLOCK]',
    summary: 'the balance of an account in wei; on a terminal also in ether',
    example: address,
    methodOf: () => 'eth_getBalance',
  },
  nonce: {
    usage: 'ADDRESS [BLOCK]',
    summary: 'the next nonce of an account; with pending, after the transactions that wait',
    example: address,
    methodOf: () => 'eth_getTransactionCount',
  },
  code: {
    usage: 'ADDRESS [BLOCK]',
    summary: 'the code of a contract, 0x for any other account',
    example: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    methodOf: () => 'eth_getCode',
  },
  send: {
    usage: 'TRANSACTION',
    summary: 'submits a signed transaction, given as hex, @FILE, or - for stdin; prints its hash',
    example: '@signed.txt',
    methodOf: () => 'eth_sendRawTransaction',
  },
}

/** Finds a short name. */
export function shortNamed(name: string): ShortName | undefined {
  return Object.hasOwn(shortNames, name) ? shortNames[name] : undefined
}

/** Lists the short names, one per line. */
export function listShortNames(): string {
  return Object.entries(shortNames)
    .map(([name, { usage, summary }]) => `  ${`${name} ${usage}`.padEnd(23)}  ${summary}`)
    .join('\n')
}

/** The height of the simulated chain. */
export const head = 120_000

const hex = (number: number): string => `0x${number.toString(16)}`
const word = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
const logsOfBlock = 20
/** Blocks that are written at once, some 60 kB. */
const blocksOfPart = 6
const rest = `,"address":"0x${'ab'.repeat(20)}","topics":["${word(1)}"],"data":"0x${'cd'.repeat(56)}","logIndex":`

/** The logs of one block as JSON, without brackets: some 10 kB. */
function logsOf(number: number): string {
  const place = `{"blockNumber":"${hex(number)}","blockHash":"${word(number)}","transactionHash":"${word(number)}"`
  const each = Array.from(
    { length: logsOfBlock },
    (_, i) => `${place}${rest}"${hex(i)}","transactionIndex":"0x0","removed":false}`,
  )
  return each.join(',')
}

/** The answer of a node, in parts. */
export function* answerTo(method: string, [first]: readonly unknown[]): Generator<string, undefined> {
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = first as { readonly fromBlock: string; readonly toBlock: string }
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    for (let number = from; number <= to; number += blocksOfPart) {
      const length = Math.min(blocksOfPart, to - number + 1)
      const blocks = Array.from({ length }, (_, i) => logsOf(number + i))
      yield `${number === from ? '[' : ','}${blocks.join(',')}`
    }
    yield ']'
    return
  }
  if (method === 'eth_getBlockByNumber') {
    const number = typeof first === 'string' && first.startsWith('0x') ? Number(first) : head
    yield `{"number":"${hex(number)}","hash":"${word(number)}","parentHash":"${word(number - 1)}","timestamp":"0x1"}`
  } else yield method === 'eth_syncing' ? 'false' : '"0x1"'
}

/** The length of the answer for a range, in bytes. */
export function lengthOf(from: number, to: number): number {
  let bytes = 1
  for (let number = from; number <= to; number++) bytes += logsOf(number).length + 1
  return bytes
}

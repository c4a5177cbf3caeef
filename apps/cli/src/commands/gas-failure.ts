import { GasFeesError, type GasFeesErrorCode } from '@wayleave/gas-fees'

const help: Partial<Record<GasFeesErrorCode, string>> = {
  unauthorized: 'The key or its secret was refused: check the URL.',
  connect: 'Is the node running, and the URL right? `npm start` runs a local node; --rpc-url names another.',
  timeout: 'The node took too long: --timeout SECONDS allows more.',
  unsupported: 'Only EVM networks with EIP-1559 have these fees; `wayleave eth gas-price` asks the node for its price.',
}

/** Why there are no fees, and what may help; undefined for an error of something else. */
export function explainGasFailure(thrown: unknown): string | undefined {
  if (!(thrown instanceof GasFeesError)) return undefined
  const { message, code } = thrown
  const hint = help[code]
  return `${message}\n${hint === undefined ? '' : `${hint}\n`}`
}

/** The same as a line of JSON. */
export function printGasFailure(thrown: unknown): string | undefined {
  if (!(thrown instanceof GasFeesError)) return undefined
  const { code, message } = thrown
  return `${JSON.stringify({ error: { code, message } })}\n`
}

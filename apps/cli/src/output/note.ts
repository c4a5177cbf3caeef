import { formatUnits } from '@wayleave/evm-types'

/** Members that hold wei, by the unit in which a person reads them. */
const ether = /^(?:value|balance|totalFee|eth_getBalance)$/
const gwei = /^(?:.*[gG]asPrice|.*[fF]eePerGas|.*[fF]eePerBlobGas|.*[bB]lobGasPrice|baseFee|eth_blobBaseFee)$/
/** Members whose hex is no number, or means nothing in decimal. */
const opaque =
  /^(?:data|input|extraData|code|output|result|r|s|topics|nonce|miner|to|from|address|eth_call|eth_getCode|starknet_chainId|calldata|signature|keys|\w+_(?:address|hash|root|salt|selector|commitment))$/

/** Explains a hex quantity or a time to a person; undefined if there is nothing to add. */
export function noteOf(name: string, text: string): string | undefined {
  const isQuantity = /^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/.test(text)
  if (/timestamp$/i.test(name) && (isQuantity || /^\d{1,12}$/.test(text))) return timeOf(Number(text))
  if (!isQuantity) return undefined
  const value = BigInt(text)
  if (ether.test(name)) return `${formatUnits(value, 18)} ether`
  if (gwei.test(name)) return `${formatUnits(value, 9)} gwei`
  return text.length > 18 || opaque.test(name) ? undefined : String(value)
}

function timeOf(seconds: number): string | undefined {
  if (seconds >= 8e12) return undefined
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

import { devAccounts } from '@wayleave/dev-node'

export const gethChainId = 1338

/**
 * The contracts that a block of Prague calls: withdrawal requests (EIP-7002), consolidation requests (EIP-7251), block hashes (EIP-2935),
 * beacon roots (EIP-4788). From `tests/genesis.json` of ethereum/execution-apis (CC0).
 */
const systemContracts = {
  '00000961ef480eb55e80d19ad83579a64c007002': {
    code: '0x3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f82111560685781019083028483029004916001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f457600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffffff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd',
    balance: '0x1',
  },
  '0000bbddc7ce488642fb579f8b00f3a590007251': {
    code: '0x3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a57600154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b8181146101295782810160040260040181607402815460601b815260140181600101548152602001816002015481526020019060030154905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd',
    balance: '0x1',
  },
  '0000f90827f1c53a10cb7a02335b175320002935': {
    code: '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
    balance: '0x1',
  },
  '000f3df6d732807ef1319fb7b8bb8522d0beac02': {
    code: '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
    balance: '0x2a',
  },
} as const

/** Makes the genesis of a chain with Prague from its first block, in geth's form; the known accounts of development have 10,000 ether each. */
export function genesisAt(timestamp: number): object {
  const funded = devAccounts.map(({ address }) => [address.slice(2), { balance: '0x21e19e0c9bab2400000' }] as const)
  const atStart = [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'berlin',
    'london',
    'mergeNetsplit',
  ].map((fork) => [`${fork}Block`, 0] as const)
  return {
    config: {
      chainId: gethChainId,
      ...Object.fromEntries(atStart),
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      blobSchedule: {
        cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
        prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      },
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
    },
    nonce: '0x0',
    timestamp: `0x${timestamp.toString(16)}`,
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    mixHash: `0x${'0'.repeat(64)}`,
    coinbase: `0x${'0'.repeat(40)}`,
    alloc: { ...Object.fromEntries(funded), ...systemContracts },
    baseFeePerGas: '0x3b9aca00',
    excessBlobGas: '0x0',
    blobGasUsed: '0x0',
  }
}

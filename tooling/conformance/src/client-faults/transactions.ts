/**
 * Two transactions of the test chain of ethereum/execution-apis, as geth answers `eth_getTransactionByHash`
 * (`tests/eth_getTransactionByHash/get-legacy-tx.io` and `get-dynamic-fee.io` at 033ca6e6, CC0-1.0).
 */
export const legacyTransaction = {
  blockHash: '0xb8a651cb280e169015aef5235a141cb2d905058d1ff9bba788b7ad2c729c9837',
  blockNumber: '0x3',
  blockTimestamp: '0x1e',
  from: '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f',
  gas: '0x5208',
  gasPrice: '0x1',
  hash: '0x3fbac8b19b59077cd29bbacc3815d73577b45a4d976cae80b04c98c793684c07',
  input: '0x',
  nonce: '0x3f',
  to: '0xc7b99a164efd027a93f147376cc7da7c67c6bbe0',
  transactionIndex: '0x0',
  value: '0x1',
  type: '0x0',
  v: '0x1c',
  r: '0xce1cb09c08ecf5c7b63f0ebd9601ad68c83d1084e8b726b94503bbe0aa3b8ffd',
  s: '0x6111304284f68b77a35ef8ec5309314645da11a22f5f87ab81a0ac6a467680c7',
} as const

export const feeMarketTransaction = {
  blockHash: '0xb82be38216daf4487ab4fcafe9413892e7140f6816276560ec10d94d039db1aa',
  blockNumber: '0x1b',
  blockTimestamp: '0x10e',
  from: '0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f',
  gas: '0x186a0',
  gasPrice: '0x3b9aca01',
  maxFeePerGas: '0x3b9aca01',
  maxPriorityFeePerGas: '0x1',
  hash: '0x205405746564cbcf1dd53fb5ac92c7622d3792d82f03c59d9baddf2443d91864',
  input: '0x1ee8f6decf498faf656d6974',
  nonce: '0x90',
  to: '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
  transactionIndex: '0x0',
  value: '0x2',
  type: '0x2',
  accessList: [
    {
      address: '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df',
      storageKeys: [
        '0x0000000000000000000000000000000000000000000000000000000000000000',
        '0x13bd2394f758553be374ffa4a9455cdf5e6ef3d905acd02746df2d12361e1ace',
      ],
    },
  ],
  chainId: '0xc72dd9d5e883e',
  v: '0x1',
  r: '0x88bad2c994f3043a59072f6d16e0bf4fababbea1ebfbb4706fcc3066dc3b7733',
  s: '0x2e1aa511f0d7eeebd17d63d3072aee3b02374238a54fd48b4786553f4e51113c',
  yParity: '0x1',
} as const

/** A raw transfer (`tests/eth_sendRawTransaction/send-legacy-transaction.io`), and its hash. */
export const rawTransaction =
  '0xf86c808401a213988261a894aa000000000000000000000000000000000000000a8255448718e5bb3abd109fa073fbe7ff7e74339e7cc61fb3cb3f7630cd3f1d5fef653d7297654b2d22894daea042a188d30f35f19408c73c803bc1e9e17ce129c457e31fd2a368b54507af2f4c'

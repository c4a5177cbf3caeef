/** As a node answered it, on the test chain of ethereum/execution-apis. */
export const tx = {
  blockHash: '0xb8a651cb280e169015aef5235a141cb2d905058d1ff9bba788b7ad2c729c9837',
  blockNumber: '0x3',
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

export const forged = { ...tx, from: '0x00000000000000000000000000000000deadbeef' } as const

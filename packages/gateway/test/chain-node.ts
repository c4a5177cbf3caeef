// Nodes that tests of networks use, too.
export {
  type ChainNode,
  logAddress,
  type NodeAnswer,
  startChainNode,
  type TestBlock,
  type TestChain,
  testChain,
} from '@wayleave/network/internal/test/chain-node'

// @boundaries-ignore Nodes that tests of networks use, too, and that are in no package.
export {
  type ChainNode,
  logAddress,
  type NodeAnswer,
  startChainNode,
  type TestBlock,
  type TestChain,
  testChain,
} from '../../network/test/chain-node.ts'

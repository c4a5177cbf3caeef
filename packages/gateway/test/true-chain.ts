// A chain that tests of networks use, too.
export { trueAnswer, type TrueChain, trueChain } from '@wayleave/network/internal/test/true-chain'

// Transactions that tests of networks use, too.
export { signedTransaction } from '@wayleave/network/internal/test/signed-transaction'

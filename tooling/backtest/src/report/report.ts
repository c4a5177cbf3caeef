import { type EndingOffer, lookedBack } from '../ending.ts'
import { judges } from '../judge.ts'
import { meanWait, type Measurement, missedAfter, waitOf } from '../measurement.ts'
import { horizon, warmUp } from '../replay.ts'
import type { DuelVerdict } from '../verdict.ts'
import type { BacktestResult } from './backtest-result.ts'
import { digits, gwei, percent } from './numbers.ts'
import { printColdStarts, printRegimes } from './states.ts'
import { printTable } from './table.ts'

const [strict, ...others] = judges.map(({ name }) => name)

/** Prints the result as Markdown that also reads well as plain text. */
export function printReport(result: BacktestResult): string {
  const sections = [
    printHead(result),
    printPromises(result),
    printDuels(result),
    printRegimes(result),
    ...(result.coldStarts.length > 0 ? [printColdStarts(result)] : []),
    ...result.markets.map(({ name }) => printMarket(result, name)),
  ]
  if (result.endings.length > 0) sections.push(printEndings(result.endings))
  return `${sections.join('\n\n')}\n`
}

function printHead({ date, command, markets, promises }: BacktestResult): string {
  const rows = markets.map(({ name, kind, blocks, node }) => [name, kind, String(blocks), node])
  return [
    `# Backtest ${date}`,
    `Command: \`${command}\``,
    `After each block from the ${warmUp}th on, each rule makes its offers from the blocks up to then and the next base fee. A later
block includes an offer if its max fee covers the base fee and the tip left then reaches the block's threshold. Offers are
watched for ${horizon} blocks. Thresholds:`,
    judges.map(({ name, meaning }) => `- \`${name}\`: ${meaning}`).join('\n'),
    `\`${strict}\` decides whether a promise is met. Recorded blocks show no one who was left out, so their \`marginal\` is an
estimate. A tip that only reaches private order flow (zero tips) proves nothing, which is why percentiles judge. Overpaid
is what included offers paid beyond base fee and threshold, of base fee and threshold; offers that were never included pay
nothing, so that it must be read beside the misses. viem, ethers and \`eth_gasPrice\` take the tip that a node of the named
kind suggests.`,
    printTable(['data set', 'kind', 'blocks', 'node'], rows, 2),
    `Promises: ${Object.entries(promises)
      .map(([level, { withinBlocks, probability }]) => `${level} in ${withinBlocks} at ${percent(probability)}`)
      .join(', ')}.`,
  ].join('\n\n')
}

function printPromises({ markets, promiseVerdicts, promises }: BacktestResult): string {
  const cell = (market: string, level: string, judge: string): string => {
    const verdict = promiseVerdicts.find(
      (each) => each.market === market && each.level === level && each.judge === judge,
    )
    return verdict === undefined ? '-' : `${percent(verdict.share)} ${verdict.met ? 'yes' : 'no '}`
  }
  const levels = Object.keys(promises)
  const rows = markets.map(({ name }) => [
    name,
    ...levels.map((level) => cell(name, level, strict!)),
    ...others.map((judge) => cell(name, 'high', judge)),
  ])
  const header = ['data set', ...levels.map((level) => `${level} ${strict}`), ...others.map((judge) => `high ${judge}`)]
  return `## Are the promises met?\n\nThe share of offers that were included in time.\n\n${printTable(header, rows)}`
}

function printDuels({ duelVerdicts, promises }: BacktestResult): string {
  const rows = duelVerdicts
    .filter(({ judge }) => judge === strict)
    .map(({ market, peer, missed, overpaid, fewerMissed, lessOverpaid }) => [
      market,
      peer,
      `${percent(missed.ours)} : ${percent(missed.theirs)}`,
      fewerMissed ? 'yes' : 'no',
      `${percent(overpaid.ours)} : ${percent(overpaid.theirs)}`,
      lessOverpaid ? 'yes' : 'no',
      fewerMissed && lessOverpaid ? 'yes' : 'no',
    ])
  const count = (duels: readonly DuelVerdict[]): string => {
    const better = duels.filter((each) => each.fewerMissed && each.lessOverpaid).length
    const worse = duels.filter((each) => !each.fewerMissed && !each.lessOverpaid).length
    return `${better} : ${worse} : ${duels.length - better - worse}`
  }
  const peers = [...new Set(duelVerdicts.map(({ peer }) => peer))]
  const counts = [...peers, 'all'].map((peer) => {
    const duels = duelVerdicts.filter((each) => peer === 'all' || each.peer === peer)
    return [peer, ...judges.map(({ name }) => count(duels.filter((each) => each.judge === name)))]
  })
  return [
    '## Has our medium fewer misses and less overpayment?',
    `Ours : theirs under \`${strict}\`. Missed is what the next ${promises.medium.withinBlocks} blocks did not include.`,
    printTable(['data set', 'against', 'missed', 'fewer', 'overpaid', 'less', 'both'], rows, 2),
    'Markets by judge: better in both : worse in both : one of each.',
    printTable(['against', ...judges.map(({ name }) => name)], counts),
  ].join('\n\n')
}

function printMarket({ measurements, promises }: BacktestResult, market: string): string {
  const here = measurements.filter((each) => each.market === market)
  const strictRows = here
    .filter(({ judge }) => judge === strict)
    .map((each) => [
      nameOf(each),
      ...[1, 3, 10].map((blocks) => percent(1 - missedAfter(each, blocks))),
      percent(missedAfter(each, horizon)),
      digits(meanWait(each)),
      String(waitOf(each, 0.95) ?? `>${horizon}`),
      percent(each.overpaid),
      digits(each.overpaidGwei),
      digits(each.reserve),
    ])
  const rowsByJudge = here
    .filter(({ judge }) => judge === strict)
    .map((each) => [
      nameOf(each),
      ...others.flatMap((judge) => {
        const other = here.find((one) => one.judge === judge && nameOf(one) === nameOf(each))!
        return [
          percent(1 - missedAfter(other, 1)),
          percent(1 - missedAfter(other, promises.medium.withinBlocks)),
          percent(other.overpaid),
        ]
      }),
    ])
  return [
    `## ${market}`,
    printTable(
      ['', 'in 1', 'in 3', 'in 10', 'never', 'mean wait', 'p95 wait', 'overpaid', 'gwei', 'max fee : paid'],
      strictRows,
    ),
    `Under the other judges: included in 1 block, in ${promises.medium.withinBlocks}, and overpaid.`,
    printTable(
      ['', ...others.flatMap((judge) => [`${judge} in 1`, `in ${promises.medium.withinBlocks}`, 'overpaid'])],
      rowsByJudge,
    ),
  ].join('\n\n')
}

function printEndings(endings: readonly EndingOffer[]): string {
  const rows = endings.map(({ market, who, level, offer, price, reached }) => [
    market,
    `${who} ${level}`,
    gwei(offer.maxPriorityFeePerGas),
    gwei(offer.maxFeePerGas),
    price === undefined ? 'too low' : gwei(price),
    ...judges.map(({ name }) => percent(reached[name])),
  ])
  return [
    '## What Infura suggested at the end of the recordings',
    `In gwei, with what the next block would take of it, and the share of the last ${lookedBack} blocks whose threshold its tip reaches.`,
    printTable(['data set', 'who', 'tip', 'max fee', 'price', ...judges.map(({ name }) => name)], rows, 2),
  ].join('\n\n')
}

function nameOf({ strategy, level }: Measurement): string {
  return `${strategy} ${level}`
}

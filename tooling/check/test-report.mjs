// A reporter for vitest that writes counts and the files that failed to TEST_REPORT.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

// oxlint-disable-next-line import/no-default-export -- vitest takes the default export of a reporter
export default class TestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const report = { passed: 0, failed: 0, skipped: 0, failedFiles: [], outside: unhandledErrors.length }
    for (const module of modules) {
      const count = { passed: 0, failed: 0, skipped: 0 }
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state === 'passed' || state === 'failed' ? state : 'skipped']++
      }
      // A file that could not run has no test that shows it.
      if (module.state() === 'failed') count.failed = Math.max(1, count.failed)
      for (const state of Object.keys(count)) report[state] += count[state]
      const file = relative(process.cwd(), module.moduleId)
      if (count.failed > 0) report.failedFiles.push({ file, ...count })
    }
    writeFileSync(process.env.TEST_REPORT, JSON.stringify(report))
  }
}

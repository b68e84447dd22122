import { writeFileSync } from 'node:fs';

export const CASES = 200_000;
const CASES_OF_A_SUITE = 400;

/** Writes a JUnit file of 38 MB like that of a large passing suite, with times, files and some output. */
export function writeReport(path: string): void {
  const suites = Array.from({ length: CASES / CASES_OF_A_SUITE }, (_, suite) => {
    const name = `packages/service-${suite}/src/orders.spec.ts`;
    const cases = Array.from(
      { length: CASES_OF_A_SUITE },
      (_case, at) =>
        `    <testcase classname="service-${suite} orders" name="keeps the order ${at} of suite ${suite} as it was, whatever comes between" file="${name}" time="0.0${at}"></testcase>\n`,
    );
    return `  <testsuite name="${name}" tests="${CASES_OF_A_SUITE}" failures="0" errors="0" time="1.2">\n${cases.join('')}  </testsuite>\n`;
  });
  writeFileSync(path, `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`);
}
